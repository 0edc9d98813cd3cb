import type { OperationFacts } from './index.ts';

export const identityFacts: Readonly<Record<string, OperationFacts>> = {
  getScope: { samples: { id: 'user:read' } },
  createState: { freeBody: 'Arbitrary data of the caller.' },
  generateTotpQrCode: {
    idsOfNobody: { requestId: 'The caller chooses the id, which is valid for that caller only.' },
  },
  generateAuthenticationOptions: {
    idsOfNobody: { rpID: 'A web site.' },
    needsNoKey: 'An unused challenge expires after some minutes.',
  },
  getAuthenticationOptions: { idsOfNobody: { rpID: 'A web site.' } },
  storeAuthenticationResponse: {
    needsNoKey: 'A challenge can be answered once.',
    senderDecides: 'id rawId type response clientExtensionResults',
    idsOfNobody: {
      id: 'Any passkey may respond: that is how its user is identified.',
      rawId: 'The same as id.',
    },
  },
  verifyAuthenticationResponse: {
    needsNoKey: 'A challenge can be answered once.',
    senderDecides: 'id rawId type response clientExtensionResults slug',
    idsOfNobody: {
      id: 'Any passkey may respond: that is how its user is identified.',
      rawId: 'The same as id.',
    },
  },
  renameCredential: { senderDecides: 'name' },
  getCredentials: { idsOfNobody: { rpId: 'A web site.' } },
  generateRegistrationOptions: {
    idsOfNobody: { rpID: 'A web site.' },
    needsNoKey: 'An unused challenge expires after some minutes.',
  },
  getRegistrationOptions: { idsOfNobody: { rpID: 'A web site.' } },
  verifyRegistrationResponse: {
    needsNoKey: 'A challenge can be answered once.',
    senderDecides: 'id rawId type response authenticatorAttachment clientExtensionResults name userAgent',
    idsOfNobody: { id: 'Chosen by the authenticator; one that is taken is refused.', rawId: 'The same as id.' },
  },
  createClientAppRequest: {
    senderDecides:
      'name email feedback url icon clientType redirectUris allowedGrantTypes allowedOrigins allowedReferrers allowedIpAddresses subscribeEvents webhookUrl pk',
    samples: { name: 'Second', webhookUrl: 'http://127.0.0.1:9/hook' },
  },
  replaceClientApp: {
    senderDecides:
      'name email feedback url icon clientType redirectUris allowedGrantTypes allowedOrigins allowedReferrers allowedIpAddresses subscribeEvents webhookUrl status tenant requestedScopes allowedScopes disallowedScopes',
    samples: { name: 'Replaced', status: 'APPROVED' },
  },
  updateClientAppRequest: { senderDecides: 'name' },
  getDevOrgPlan: { idsOfNobody: { planId: 'The plans are the same for everyone.' } },
  createOrganization: {
    senderDecides: 'name email',
    idsOfNobody: { pk: 'Ignored: an organization always belongs to the caller.' },
  },
  verifyOrganization: { needsNoKey: 'A one-time password works only once.', senderDecides: 'otp' },
  claimTelegramPkp: { needsNoKey: 'A user has one wallet, however often it is claimed.' },
  signMessage: {
    needsNoKey: 'The same text gets the same signature, and each is counted.',
    senderDecides: 'address message otp',
  },
  confirmAuthenticator: {
    needsNoKey: 'A code works once, so a second attempt changes nothing.',
    senderDecides: 'code currentCode',
    idsOfNobody: { requestId: 'The caller chooses the id, which is valid for that caller only.' },
  },
  removeAuthenticator: {
    idsOfNobody: { requestId: 'The caller chooses the id, which is valid for that caller only.' },
  },
  rotateWebhookSecret: { senderDecides: 'oldSecretEndsInSeconds' },
  setWebhook: { senderDecides: 'webhookUrl subscribeEvents', samples: { webhookUrl: 'http://127.0.0.1:9/hook' } },
  setOrigins: { senderDecides: 'allowedOrigins allowedReferrers' },
  rollApiKey: { senderDecides: 'oldKeyEndsInSeconds' },
  setRedirectUris: { senderDecides: 'redirectUris' },
  setOauthSettings: {
    senderDecides:
      'id_token_signed_response_alg post_logout_redirect_uris backchannel_logout_uri backchannel_logout_session_required frontchannel_logout_uri frontchannel_logout_session_required token_endpoint_auth_method token_endpoint_auth_signing_alg jwks jwks_uri dpop_bound_access_tokens require_pushed_authorization_requests require_signed_request_object request_object_signing_alg authorization_signed_response_alg security_profile',
  },
  requestScopes: { senderDecides: 'scopes reason' },
};
