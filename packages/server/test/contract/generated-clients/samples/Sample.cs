using System;
using System.Collections.Generic;
using Org.OpenAPITools.Api;
using Org.OpenAPITools.Client;

static Configuration Anyone() => new() { BasePath = Environment.GetEnvironmentVariable("LATCHKEY_URL") };

var app = Anyone();
app.AddApiKey("x-api-key", Environment.GetEnvironmentVariable("API_KEY"));
var user = Anyone();
user.AddApiKeyPrefix("authorization", "AE");
user.AddApiKey("authorization", Environment.GetEnvironmentVariable("TOKEN"));

var pong = new PingControllerApi(Anyone()).Ping();
var link = new UrlSlugControllerApi(app).CreateState(new Dictionary<string, object> { ["hello"] = "world" });
var states = new UrlSlugControllerApi(Anyone());
var state = states.GetState(link.Slug);
var organizations = new OrganizationControllerApi(user).GetOrganizations();
try
{
    states.GetState("unknown");
}
catch (ApiException unknown)
{
    Console.WriteLine($"{pong["message"]} {state["hello"]} {organizations.Count} {unknown.ErrorCode}");
}
