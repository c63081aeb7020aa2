"""What schemathesis has to know to ask the service everything that its description says."""

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    """JSON lines, also such as are none: any text may be sent."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
