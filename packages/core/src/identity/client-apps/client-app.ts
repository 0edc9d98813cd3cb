import { choice, events, pageOf, record, T, text, texts, type ValueOf } from '@latchkey/kernel';

export const clientAppStatuses = ['PENDING', 'APPROVED', 'REJECTED', 'REVOKED', 'LISTED'] as const;
export type ClientAppStatus = (typeof clientAppStatuses)[number];

export const clientTypes = ['confidential', 'public', 'apiKey'] as const;
export type ClientType = (typeof clientTypes)[number];

/** An entry of the audit trail. */
export interface ClientAppAction {
  action: string;
  actionBy: string;
  timestamp: string;
  notes?: string;
}

const eventList = Object.keys(events).join(', ');

const clientSecretHash = T.Optional(
  text('For compatibility only: ignored when sent, never returned.', { maxLength: 128 }),
);

/** Fields that the owner sets. The operator can set them too, by replacing the record. */
const ownFields = {
  name: T.Optional(text('The name of the application, 1 to 200 characters. Required.', { maxLength: 200 })),
  email: T.Optional(text('A contact address for the application.', { maxLength: 254 })),
  feedback: T.Optional(text('Notes for the operator.', { maxLength: 4096 })),
  url: T.Optional(text('The page of the application, an absolute http or https address.', { maxLength: 2048 })),
  icon: T.Optional(text('The address of a picture for consent pages, absolute http or https.', { maxLength: 2048 })),
  clientType: T.Optional(
    choice(
      'confidential: can keep a secret and gets one. public: cannot, such as a web page or a mobile app. apiKey: only uses its API key. Defaults to confidential.',
      clientTypes,
    ),
  ),
  redirectUris: T.Optional(
    texts(
      'The redirect URIs, compared byte for byte: absolute https addresses without fragment or wildcard; http only on this machine (localhost, 127.0.0.1, [::1]), where any port and sub-path is allowed.',
      { maxLength: 2048 },
    ),
  ),
  allowedGrantTypes: T.Optional(
    texts(
      'The allowed grant types: authorization_code, client_credentials, refresh_token. Only the operator can add implicit and password.',
      {
        maxLength: 64,
      },
    ),
  ),
  allowedOrigins: T.Optional(
    texts('The pages that may call with the key, as bare origins such as https://app.example. Empty means any.', {
      maxLength: 512,
    }),
  ),
  allowedReferrers: T.Optional(
    texts('Addresses that the Referer header must be under, when one is sent. Empty means any.', { maxLength: 2048 }),
  ),
  allowedIpAddresses: T.Optional(
    texts('The addresses that may call with the key: single ones, or networks such as 192.0.2.0/24. Empty means any.', {
      maxLength: 64,
    }),
  ),
  subscribeEvents: T.Optional(texts(`The events to send to webhookUrl: ${eventList}.`, { maxLength: 64 })),
  webhookUrl: T.Optional(
    text('Where events are sent: an absolute https address, or http on this machine.', { maxLength: 2048 }),
  ),
};

export const ClientApplicationCreate = record(
  'ClientApplicationCreate',
  'A client application to create. The server sets all other fields.',
  {
    pk: T.Optional(
      text(
        'The organization that the application belongs to. It must belong to the caller and be verified; absent for none.',
        { maxLength: 128 },
      ),
    ),
    classifierGroup: T.Optional(text('Set by the server; ignored.', { maxLength: 64 })),
    clientSecret: T.Optional(text('Created by the server; ignored.', { maxLength: 256 })),
    clientSecretHash,
    ...ownFields,
  },
);
export type ClientApplicationCreate = ValueOf<typeof ClientApplicationCreate>;

/** What reviewers and owners did to an application or a mini-app. */
export const actionsOn = (subject: string) =>
  T.Optional(
    T.Array(
      T.Object({
        action: text('What was done.', { maxLength: 64 }),
        actionBy: text('Who did it.', { maxLength: 128 }),
        timestamp: text('When, as an ISO 8601 time.', { maxLength: 32 }),
        notes: T.Optional(text('The reason.', { maxLength: 1024 })),
      }),
      { description: `What happened to ${subject}, oldest first.`, maxItems: 1000 },
    ),
  );

export const ClientApplication = record(
  'ClientApplication',
  'An application that can call this API for itself or for its users.',
  {
    id: T.Optional(text('The client id.', { maxLength: 64 })),
    createdTime: T.Optional(text('When it was created, as an ISO 8601 time.', { maxLength: 32 })),
    pk: T.Optional(text('The organization it belongs to, or else the user who created it.', { maxLength: 128 })),
    sk: T.Optional(text('CLIENT_APP# and the client id.', { maxLength: 128 })),
    classifier: T.Optional(text('Always CLIENT_APP.', { maxLength: 64 })),
    classifierGroup: T.Optional(text('Always CLIENT_APP.', { maxLength: 64 })),
    status: choice(
      'PENDING: waiting for review. REJECTED: turned down. APPROVED: works. LISTED: works and is shown to others. REVOKED: permanently disabled.',
      clientAppStatuses,
    ),
    actions: actionsOn('the application'),
    tenant: T.Optional(text('A label that the operator uses to group applications.', { maxLength: 128 })),
    ...ownFields,
    requestedScopes: T.Optional(texts('The requested scopes.', { maxLength: 64 })),
    allowedScopes: T.Optional(texts('The scopes that the operator granted; none at first.', { maxLength: 64 })),
    disallowedScopes: T.Optional(texts('Scopes that are blocked even if granted.', { maxLength: 64 })),
    apiKey: T.Optional(
      text('The key for the x-api-key header. Shown only once, when it is created.', { maxLength: 128 }),
    ),
    apiKeyHash: T.Optional(text('For compatibility only: ignored when sent, never returned.', { maxLength: 128 })),
    clientSecret: T.Optional(
      text('The secret for the token endpoint. Shown only once, when it is created.', { maxLength: 256 }),
    ),
    clientSecretHash,
    secret: T.Optional(
      text(
        'The secret that signs what this server sends to the application: events to webhookUrl, and results to callbackUrl. Shown only once, when it is created.',
        { maxLength: 128 },
      ),
    ),
    createdByName: T.Optional(text('The name of the user who created it.', { maxLength: 256 })),
    createdById: T.Optional(text('The user who created it.', { maxLength: 128 })),
  },
);
export type ClientApplication = ValueOf<typeof ClientApplication>;

export const ClientApplicationPage = pageOf(ClientApplication, 'ClientApplicationPage');

export const WebhookChange = record('WebhookChange', 'The webhook of an application.', {
  webhookUrl: text('Where events are sent: an absolute https address, or http on this machine.', { maxLength: 2048 }),
  subscribeEvents: T.Optional(
    texts(`The events to send: ${eventList}. Defaults to the current list.`, { maxLength: 64 }),
  ),
});
export type WebhookChange = ValueOf<typeof WebhookChange>;

export const OriginsChange = record('OriginsChange', 'From where an application may be used.', {
  allowedOrigins: texts('The pages that may call, as bare origins such as https://app.example. Empty means any.', {
    maxLength: 512,
  }),
  allowedReferrers: T.Optional(
    texts(
      'Addresses that the Referer header must be under, when one is sent. Empty means any. Defaults to the current list.',
      { maxLength: 2048 },
    ),
  ),
});
export type OriginsChange = ValueOf<typeof OriginsChange>;

export const RedirectUrisChange = record('RedirectUrisChange', 'The redirect URIs of an application.', {
  redirectUris: texts(
    'Absolute https addresses without fragment or wildcard; http only on this machine. The list replaces the current one.',
    { maxLength: 2048 },
  ),
});
export type RedirectUrisChange = ValueOf<typeof RedirectUrisChange>;

export const ScopesRequest = record('ScopesRequest', 'The scopes that an application requests from the operator.', {
  scopes: texts('The scopes; GET /scopes lists them. The list replaces any earlier request.', { maxLength: 64 }),
  reason: T.Optional(text('What the application does with them, for the operator to read.', { maxLength: 1000 })),
});
export type ScopesRequest = ValueOf<typeof ScopesRequest>;

/** The algorithms that applications can sign with: client assertions and request objects. */
export const clientSigningAlgs = ['ES256', 'PS256', 'EdDSA'] as const;

/** How an application authenticates. With a secret, both Basic and the form are accepted. */
const authMethods = ['client_secret_basic', 'private_key_jwt'] as const;

/** The algorithms that id tokens can be signed with. */
export const idTokenAlgs = ['ES256', 'RS256'] as const;

/** The names and meanings are those of OpenID Connect and of the OAuth 2.0 registry of client metadata (RFC 7591). */
export const OauthSettings = record(
  'OauthSettings',
  'How an application signs users in and out, by the names of RFC 7591 and OpenID Connect. What is left out has its default.',
  {
    id_token_signed_response_alg: T.Optional(
      choice('The algorithm that its id tokens are signed with. Defaults to ES256.', idTokenAlgs),
    ),
    post_logout_redirect_uris: T.Optional(
      texts(
        'Where users may return after signing out, compared byte for byte. The redirect URIs and the page of the application are allowed too.',
        { maxLength: 2048 },
      ),
    ),
    backchannel_logout_uri: T.Optional(
      text('Where this server sends a logout token when a user signs out: an absolute https address.', {
        maxLength: 2048,
      }),
    ),
    backchannel_logout_session_required: T.Optional(
      T.Boolean({ description: 'Whether logout tokens and id tokens name the session with sid. Defaults to false.' }),
    ),
    frontchannel_logout_uri: T.Optional(
      text('A page of the application that ends its own session, loaded in a frame when a user signs out.', {
        maxLength: 2048,
      }),
    ),
    frontchannel_logout_session_required: T.Optional(
      T.Boolean({ description: 'Whether that page gets iss and sid, and id tokens sid. Defaults to false.' }),
    ),
    token_endpoint_auth_method: T.Optional(
      choice(
        'How a confidential application authenticates: with its secret, in a header or the form, or with private_key_jwt (RFC 7523). Defaults to its secret.',
        authMethods,
      ),
    ),
    token_endpoint_auth_signing_alg: T.Optional(
      choice('The only algorithm that its client assertions may be signed with. Defaults to any.', clientSigningAlgs),
    ),
    jwks: T.Optional(
      T.Object(
        {
          keys: T.Array(T.Object({}, { additionalProperties: true }), {
            description: 'The public keys, as JSON Web Keys (RFC 7517).',
            maxItems: 20,
          }),
        },
        { description: 'Its public keys, unless it publishes them at jwks_uri.' },
      ),
    ),
    jwks_uri: T.Optional(text('Where it publishes its public keys, an absolute https address.', { maxLength: 2048 })),
    dpop_bound_access_tokens: T.Optional(
      T.Boolean({ description: 'Whether its access tokens are always bound to a key with DPoP (RFC 9449).' }),
    ),
    require_pushed_authorization_requests: T.Optional(
      T.Boolean({ description: 'Whether it must push its authorization requests to /oauth2/par (RFC 9126).' }),
    ),
    require_signed_request_object: T.Optional(
      T.Boolean({ description: 'Whether its authorization requests must be signed (RFC 9101).' }),
    ),
    request_object_signing_alg: T.Optional(
      choice('The only algorithm that its requests may be signed with. Defaults to any.', clientSigningAlgs),
    ),
    authorization_signed_response_alg: T.Optional(
      choice('The algorithm for responses with response_mode=jwt (JARM). Defaults to ES256.', idTokenAlgs),
    ),
    security_profile: T.Optional(
      choice(
        'fapi2 holds the application to the FAPI 2.0 Security Profile: private_key_jwt, DPoP, pushed requests, PKCE with S256, and exact redirect URIs.',
        ['fapi2'],
      ),
    ),
  },
);
export type OauthSettings = ValueOf<typeof OauthSettings>;
