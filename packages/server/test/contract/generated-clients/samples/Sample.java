import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.OrganizationControllerApi;
import org.openapitools.client.api.PingControllerApi;
import org.openapitools.client.api.UrlSlugControllerApi;
import org.openapitools.client.auth.ApiKeyAuth;

public class Sample {
  static ApiClient anyone() {
    return new ApiClient().setBasePath(System.getenv("LATCHKEY_URL"));
  }

  public static void main(String[] args) throws ApiException {
    ApiClient app = anyone();
    ((ApiKeyAuth) app.getAuthentication("apiKey")).setApiKey(System.getenv("API_KEY"));
    ApiClient user = anyone();
    ApiKeyAuth session = (ApiKeyAuth) user.getAuthentication("authenticatedEncryption");
    session.setApiKeyPrefix("AE");
    session.setApiKey(System.getenv("TOKEN"));

    Map<String, Object> pong = new PingControllerApi(anyone()).ping(null);
    String slug = new UrlSlugControllerApi(app).createState(Map.of("hello", "world")).getSlug();
    UrlSlugControllerApi states = new UrlSlugControllerApi(anyone());
    Object hello = states.getState(slug).get("hello");
    int organizations = new OrganizationControllerApi(user).getOrganizations().size();
    try {
      states.getState("unknown");
    } catch (ApiException unknown) {
      System.out.println(pong.get("message") + " " + hello + " " + organizations + " " + unknown.getCode());
    }
  }
}
