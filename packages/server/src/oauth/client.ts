import type { OauthClient } from '@latchkey/core';
import { grantTypes, signingAlgs } from '@latchkey/core';
import type { AdapterPayload, Client } from 'oidc-provider';

/** The field of the provider's client record that contains ours. */
export const ownField = 'latchkey';

/**
 * Converts a client application to the provider's record. The secret is only a hash, which `isClientSecret` compares.
 */
export function toProviderClient(client: OauthClient): AdapterPayload {
  const { settings } = client;
  const isUsable = client.redirectUris.length > 0;
  const allows = (grantType: string) => client.grantTypes.includes(grantType);
  const responseTypes = [
    ...(isUsable && allows('authorization_code') ? ['code'] : []),
    ...(isUsable && allows('implicit') ? ['id_token', 'token'] : []),
  ];
  return withOwn(client, {
    client_id: client.id,
    client_name: client.name,
    ...(client.secretHash !== undefined && { client_secret: client.secretHash }),
    application_type: 'web',
    token_endpoint_auth_method: client.isPublic ? 'none' : 'client_secret_basic',
    grant_types: [...grantTypes.filter(allows), ...(allows('implicit') ? ['implicit'] : [])],
    response_types: asResponseTypes(responseTypes),
    redirect_uris: [...client.redirectUris],
    post_logout_redirect_uris: [...(settings.post_logout_redirect_uris ?? [])],
    id_token_signed_response_alg: settings.id_token_signed_response_alg ?? signingAlgs[0],
    ...(settings.backchannel_logout_uri !== undefined && {
      backchannel_logout_uri: settings.backchannel_logout_uri,
      backchannel_logout_session_required: settings.backchannel_logout_session_required ?? false,
    }),
  });
}

/** Returns our own record of the client of a request. */
export function clientOf(client: Client): OauthClient {
  return (client as unknown as { [ownField]: OauthClient })[ownField];
}

function withOwn(client: OauthClient, payload: AdapterPayload): AdapterPayload {
  return Object.assign(payload, { [ownField]: client });
}

// The provider's types lack the bare `token`, which is enabled for clients that were allowed it.
function asResponseTypes(types: readonly string[]): NonNullable<AdapterPayload['response_types']> {
  return types as NonNullable<AdapterPayload['response_types']>;
}
