"""Run the shop on a free port of this machine, say which, and end when standard input does."""

import logging
import os
import sys
import threading

os.environ["DJANGO_SETTINGS_MODULE"] = "shop_settings"

import django
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from waitress.server import create_server


def main() -> None:
    django.setup()
    logging.disable()
    from shop_seed import seed

    call_command("migrate", run_syncdb=True, verbosity=0)
    seed()
    call_command("update_index", verbosity=0)
    server = create_server(StaticFilesHandler(get_wsgi_application()), host="127.0.0.1", port=0, threads=4)
    print(server.effective_port, flush=True)
    threading.Thread(target=server.run, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
