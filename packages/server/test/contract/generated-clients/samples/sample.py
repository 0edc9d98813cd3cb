import os

import openapi_client
from openapi_client import ApiClient, Configuration
from openapi_client.exceptions import NotFoundException

host = os.environ["LATCHKEY_URL"]
anyone = ApiClient(Configuration(host=host))
app = ApiClient(Configuration(host=host, api_key={"apiKey": os.environ["API_KEY"]}))
user = ApiClient(
    Configuration(
        host=host,
        api_key={"authenticatedEncryption": os.environ["TOKEN"]},
        api_key_prefix={"authenticatedEncryption": "AE"},
    )
)

pong = openapi_client.PingControllerApi(anyone).ping()
link = openapi_client.UrlSlugControllerApi(app).create_state({"hello": "world"})
states = openapi_client.UrlSlugControllerApi(anyone)
state = states.get_state(link.slug)
organizations = openapi_client.OrganizationControllerApi(user).get_organizations()
try:
    states.get_state("unknown")
except NotFoundException as unknown:
    print(pong["message"], state["hello"], len(organizations), unknown.status)
