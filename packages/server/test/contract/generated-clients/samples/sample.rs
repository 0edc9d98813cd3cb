use openapi::apis::configuration::{ApiKey, Configuration};
use openapi::apis::{organization_controller_api, ping_controller_api, url_slug_controller_api, Error};
use std::{collections::HashMap, env};

fn client(prefix: Option<&str>, key: Option<&str>) -> Configuration {
    let mut configuration = Configuration::new();
    configuration.base_path = env::var("LATCHKEY_URL").unwrap();
    configuration.api_key = key.map(|name| ApiKey { prefix: prefix.map(str::to_string), key: env::var(name).unwrap() });
    configuration
}

#[tokio::main]
async fn main() {
    let anyone = client(None, None);
    let app = client(None, Some("API_KEY"));
    let user = client(Some("AE"), Some("TOKEN"));
    let pong = ping_controller_api::ping(&anyone, None).await.unwrap();
    let body = HashMap::from([("hello".to_string(), "world".into())]);
    let link = url_slug_controller_api::create_state(&app, body).await.unwrap();
    let state = url_slug_controller_api::get_state(&anyone, &link.slug.unwrap()).await.unwrap();
    let organizations = organization_controller_api::get_organizations(&user).await.unwrap();
    if let Err(Error::ResponseError(unknown)) = url_slug_controller_api::get_state(&anyone, "unknown").await {
        println!(
            "{} {} {} {}",
            pong["message"].as_str().unwrap(),
            state["hello"].as_str().unwrap(),
            organizations.len(),
            unknown.status.as_u16()
        );
    }
}
