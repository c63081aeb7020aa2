//! Frames of 802.11 that are sent in clear, and the headers that capturing programs put before them.

use super::ip::Payload;
use super::link::{Decoder, u16_at, u32_at};
use super::tally::Unread;

/// The length of the header of Prism: 144 bytes, or as an AVS header says that is sent under this name.
pub(super) fn prism_len(bytes: &[u8]) -> Option<usize> {
    let is_avs = u32_at(bytes, 0)? & 0xFFFF_F000 == 0x8021_1000;
    if is_avs { usize::try_from(u32_at(bytes, 4)?).ok() } else { Some(144) }
}

/// The frame behind a radiotap header (<https://www.radiotap.org>), and whether its own header is padded.
pub(super) fn after_radiotap(bytes: &[u8]) -> Option<(&[u8], bool)> {
    let len = usize::from(u16_at(bytes, 2)?.swap_bytes());
    let header = bytes.get(..len)?;
    let present = u32_at(header, 4)?.swap_bytes();
    let mut fields = 8_usize;
    let mut word = present;
    // Further words of what is present follow where the highest bit says so.
    while word & 0x8000_0000 != 0 {
        word = u32_at(header, fields)?.swap_bytes();
        fields = fields.saturating_add(4);
    }
    // The time, eight bytes at a multiple of eight, comes before the flags.
    if present & 1 != 0 {
        fields = fields.next_multiple_of(8).saturating_add(8);
    }
    let flags = if present & 2 != 0 { header.get(fields).copied().unwrap_or(0) } else { 0 };
    Some((bytes.get(len..)?, flags & 0x20 != 0))
}

impl Decoder {
    pub(super) fn wifi(&mut self, frame: &[u8]) -> Option<Payload> {
        self.wifi_frame(frame, false)
    }

    /// A frame of 802.11 (IEEE 802.11-2020, 9.2.3): only data in clear has something to read.
    pub(super) fn wifi_frame(&mut self, frame: &[u8], is_padded: bool) -> Option<Payload> {
        self.deeper()?;
        let [control, flags, ..] = frame else { return self.unread(Unread::Headers) };
        let is_data = control & 0x0C == 0x08;
        // Frames of data without data are sent to tell of power.
        if !is_data || control & 0x40 != 0 {
            return None;
        }
        if flags & 0x40 != 0 {
            return self.unread(Unread::EncryptedWifi);
        }
        let has_four_addresses = flags & 0x03 == 0x03;
        let has_quality = control & 0x80 != 0;
        let mut header = if has_four_addresses { 30_usize } else { 24 };
        let is_fragment = flags & 0x04 != 0 || frame.get(22).is_some_and(|sequence| sequence & 0x0F != 0);
        let mut is_several = false;
        if has_quality {
            is_several = frame.get(header).is_some_and(|quality| quality & 0x80 != 0);
            header = header.saturating_add(2);
            if flags & 0x80 != 0 {
                header = header.saturating_add(4);
            }
        }
        if is_fragment || is_several {
            return self.unread(Unread::CombinedWifi);
        }
        if is_padded {
            header = header.next_multiple_of(4);
        }
        match frame.get(header..) {
            Some(rest) => self.llc(rest),
            None => self.unread(Unread::Headers),
        }
    }
}
