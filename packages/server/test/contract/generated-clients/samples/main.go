package main

import (
	"context"
	"fmt"
	"os"

	client "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func must[T any](value T, _ any, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Getenv("LATCHKEY_URL")}}
	api := client.NewAPIClient(configuration)
	anyone := context.Background()
	withKeys := func(keys map[string]client.APIKey) context.Context {
		return context.WithValue(anyone, client.ContextAPIKeys, keys)
	}
	app := withKeys(map[string]client.APIKey{"apiKey": {Key: os.Getenv("API_KEY")}})
	user := withKeys(map[string]client.APIKey{"authenticatedEncryption": {Key: os.Getenv("TOKEN"), Prefix: "AE"}})

	pong := must(api.PingControllerAPI.Ping(anyone).Execute())
	link := must(api.UrlSlugControllerAPI.CreateState(app).RequestBody(map[string]any{"hello": "world"}).Execute())
	state := must(api.UrlSlugControllerAPI.GetState(anyone, link.GetSlug()).Execute())
	organizations := must(api.OrganizationControllerAPI.GetOrganizations(user).Execute())
	_, unknown, _ := api.UrlSlugControllerAPI.GetState(anyone, "unknown").Execute()
	fmt.Println(pong["message"], state["hello"], len(organizations), unknown.StatusCode)
}
