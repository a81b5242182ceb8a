"""Django in one file: models, migrations in memory, templates, its test client, its own tests' runner."""
import hashlib

import django
from django.conf import settings

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["*"],
    SECRET_KEY="of a test",
    PASSWORD_HASHERS=["django.contrib.auth.hashers.PBKDF2PasswordHasher"],
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
)
django.setup()

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import transaction
from django.db.models import Count
from django.http import HttpResponse, JsonResponse
from django.template import engines
from django.test import Client
from django.urls import path

page = engines["django"].from_string("{% for u in users %}<li>{{ u.username|title }} {{ u.n }}</li>{% endfor %}")


def people(request):
    return HttpResponse(page.render({"users": User.objects.annotate(n=Count("groups")).order_by("username")[:100]}))


def groups(request, number):
    found = User.objects.filter(groups__name=f"g{number}").values_list("username", flat=True).order_by("username")
    return JsonResponse({"users": list(found)})


@login_required(login_url="/people")
def secret(request):
    return HttpResponse(request.user.username)


urlpatterns = [path("people", people), path("groups/<int:number>", groups), path("secret", secret)]


def main():
    call_command("migrate", verbosity=0)
    with transaction.atomic():
        sets = [Group.objects.create(name=f"g{n}") for n in range(7)]
        for n in range(300):
            User.objects.create(username=f"user{n:03}").groups.set(g for i, g in enumerate(sets) if n % (i + 2) == 0)
    User.objects.create_user("someone", password="a word")
    client, digest = Client(), hashlib.sha256()
    for turn in range(60):
        digest.update(client.get("/people").content)
        digest.update(client.get(f"/groups/{turn % 7}").content)
    print("pages", digest.hexdigest())
    print("before", client.get("/secret").status_code, "login", client.login(username="someone", password="a word"))
    print("after", client.get("/secret").content)
    print("wrong", client.login(username="someone", password="another"), client.get("/nowhere").status_code)


main()
