import org.openapitools.client.apis.OrganizationControllerApi
import org.openapitools.client.apis.PingControllerApi
import org.openapitools.client.apis.UrlSlugControllerApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientException

fun main() {
  val url = System.getenv("LATCHKEY_URL")
  val states = UrlSlugControllerApi(url)
  val pong = PingControllerApi(url).ping()
  ApiClient.apiKey["x-api-key"] = System.getenv("API_KEY")
  val slug = states.createState(mapOf("hello" to "world")).slug!!
  ApiClient.apiKey.clear()
  val state = states.getState(slug)
  ApiClient.apiKey["authorization"] = System.getenv("TOKEN")
  ApiClient.apiKeyPrefix["authorization"] = "AE"
  val organizations = OrganizationControllerApi(url).getOrganizations()
  try {
    states.getState("unknown")
  } catch (unknown: ClientException) {
    println("${pong["message"]} ${state["hello"]} ${organizations.size} ${unknown.statusCode}")
  }
}
