//! The messages of `envoy.service.ext_proc.v3`, as much of them as is said or heard here, by their numbers. Fields that
//! are not named are passed over, as protocol buffers have it.
//!
//! Names and values of headers are bytes: on the wire they are the same as text, and need not be UTF-8.

use std::collections::HashMap;

use prost::{Message, Oneof};

/// A message from Envoy.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ProcessingRequest {
    #[prost(message, optional, tag = "11")]
    pub(super) protocol_config: Option<ProtocolConfiguration>,
    #[prost(oneof = "Asked", tags = "2, 3, 4, 5, 6, 7")]
    pub(super) request: Option<Asked>,
}

/// How bodies come, in the first message.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ProtocolConfiguration {
    #[prost(int32, tag = "1")]
    pub(super) request_body_mode: i32,
}

/// `BodySendMode`: no bodies.
pub(super) const NONE: i32 = 0;
/// `BodySendMode`: the first of a body, as much as there is room for.
pub(super) const BUFFERED_PARTIAL: i32 = 3;

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Asked {
    #[prost(message, tag = "2")]
    RequestHeaders(HttpHeaders),
    #[prost(message, tag = "3")]
    ResponseHeaders(Nothing),
    #[prost(message, tag = "4")]
    RequestBody(HttpBody),
    #[prost(message, tag = "5")]
    ResponseBody(Nothing),
    #[prost(message, tag = "6")]
    RequestTrailers(Nothing),
    #[prost(message, tag = "7")]
    ResponseTrailers(Nothing),
}

/// A message of which nothing is read, or nothing said.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Nothing {}

#[derive(Clone, PartialEq, Message)]
pub(super) struct HttpHeaders {
    #[prost(message, optional, tag = "1")]
    pub(super) headers: Option<HeaderMap>,
    #[prost(bool, tag = "3")]
    pub(super) end_of_stream: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct HttpBody {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) body: Vec<u8>,
    #[prost(bool, tag = "2")]
    pub(super) end_of_stream: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct HeaderMap {
    #[prost(message, repeated, tag = "1")]
    pub(super) headers: Vec<HeaderValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct HeaderValue {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) key: Vec<u8>,
    /// The value, as older versions of Envoy send it.
    #[prost(bytes = "vec", tag = "2")]
    pub(super) value: Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    pub(super) raw_value: Vec<u8>,
}

/// A message to Envoy.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ProcessingResponse {
    #[prost(message, optional, tag = "8")]
    pub(super) dynamic_metadata: Option<Struct>,
    #[prost(oneof = "Answer", tags = "1, 2, 3, 4, 5, 6, 7")]
    pub(super) response: Option<Answer>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Answer {
    #[prost(message, tag = "1")]
    RequestHeaders(Going),
    #[prost(message, tag = "2")]
    ResponseHeaders(Nothing),
    #[prost(message, tag = "3")]
    RequestBody(Going),
    #[prost(message, tag = "4")]
    ResponseBody(Nothing),
    #[prost(message, tag = "5")]
    RequestTrailers(Nothing),
    #[prost(message, tag = "6")]
    ResponseTrailers(Nothing),
    #[prost(message, tag = "7")]
    ImmediateResponse(ImmediateResponse),
}

/// `HeadersResponse` and `BodyResponse`, which look the same.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Going {
    #[prost(message, optional, tag = "1")]
    pub(super) response: Option<CommonResponse>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CommonResponse {
    #[prost(message, optional, tag = "2")]
    pub(super) header_mutation: Option<HeaderMutation>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct HeaderMutation {
    #[prost(message, repeated, tag = "1")]
    pub(super) set_headers: Vec<HeaderValueOption>,
    #[prost(string, repeated, tag = "2")]
    pub(super) remove_headers: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct HeaderValueOption {
    #[prost(message, optional, tag = "1")]
    pub(super) header: Option<HeaderValue>,
    #[prost(int32, tag = "3")]
    pub(super) append_action: i32,
    #[prost(bool, tag = "4")]
    pub(super) keep_empty_value: bool,
}

/// `HeaderAppendAction`: in the place of what is there.
pub(super) const OVERWRITE_IF_EXISTS_OR_ADD: i32 = 2;

#[derive(Clone, PartialEq, Message)]
pub(super) struct ImmediateResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<HttpStatus>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct HttpStatus {
    #[prost(int32, tag = "1")]
    pub(super) code: i32,
}

/// `google.protobuf.Struct`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Struct {
    #[prost(map = "string, message", tag = "1")]
    pub(super) fields: HashMap<String, Value>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Value {
    #[prost(oneof = "Kind", tags = "3, 5")]
    pub(super) kind: Option<Kind>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Kind {
    #[prost(string, tag = "3")]
    Text(String),
    #[prost(message, tag = "5")]
    Struct(Struct),
}
