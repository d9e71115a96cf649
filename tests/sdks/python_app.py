"""A small application with `sentry-sdk` for Python."""

import os

import sentry_sdk

sentry_sdk.init(dsn=os.environ["SENTRY_DSN"], traces_sample_rate=1.0)
with sentry_sdk.start_transaction(op="task", name="import prices"):
    with sentry_sdk.start_span(op="db", description="SELECT prices"):
        pass
    try:
        1 / 0
    except ZeroDivisionError:
        sentry_sdk.capture_exception()
sentry_sdk.flush(20)
