"""Runs the service."""

import logging
import sys

from service import config, logging_setup
from service.app import create_app

logging_setup.configure(config.LOG_LEVEL)
log = logging.getLogger(__name__)


def main(argv=None):
    app = create_app(config.Settings.from_arguments(argv or sys.argv[1:]))
    log.info("starting")
    return app.run()


if __name__ == "__main__":
    sys.exit(main())
