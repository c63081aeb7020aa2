# `tamiz serve` in an image that has nothing but the program: static, not root, and fit for a read-only file system.
#
#   docker build -t tamiz .
#   docker run --rm --read-only --cap-drop all -p 127.0.0.1:8787:8787 tamiz
#
# A release does not compile: it hands over the root file system that `scripts/release/image.sh` makes of the released
# program, by `--build-context built=target/release-files/image`.
FROM rust:1.95-alpine AS compile
RUN apk add --no-cache gcc musl-dev make
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --package tamiz-cli --all-features

FROM scratch AS built
COPY --from=compile /source/target/dist/tamiz /tamiz
COPY --from=compile /source/LICENSE-MIT /source/LICENSE-APACHE /

FROM scratch
COPY --from=built / /
USER 65532:65532
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=2s CMD ["/tamiz", "serve", "--probe", "127.0.0.1:8787"]
ENTRYPOINT ["/tamiz"]
CMD ["serve", "--listen", "0.0.0.0:8787"]
