import type { OperationFacts } from './index.ts';

export const developersFacts: Readonly<Record<string, OperationFacts>> = {
  token: {
    needsNoKey: 'By RFC 6749, a code and a refresh token work only once.',
    senderDecides:
      'grant_type scope code redirect_uri code_verifier client_id client_secret username password refresh_token',
  },
  introspect: { needsNoKey: 'Only reads.', senderDecides: 'token token_type_hint client_id' },
  revoke: { needsNoKey: 'A token that is revoked stays revoked.', senderDecides: 'token token_type_hint client_id' },
  createUserAuthorization: {
    senderDecides: 'rememberDecisions scopes',
    idsOfNobody: { slug: 'Known only to the browser that an application sent here, which decides for itself.' },
  },
  getUserAuthorizationByClientId: {
    idsOfNobody: { clientId: 'An application; only the caller’s own authorization is looked up.' },
  },
  deleteUserAuthorization: {
    idsOfNobody: { clientId: 'An application; only the caller’s own authorization is revoked.' },
  },
  updateMiniApp: { senderDecides: 'name' },
  createMiniApp: { senderDecides: 'pk name icon description feedback url platforms metadata' },
  resendWebhookDelivery: { needsNoKey: 'Receivers drop a repetition by its webhook-id.' },
  replayWebhookDeliveries: {
    senderDecides: 'since',
    needsNoKey: 'Receivers drop a repetition by its webhook-id.',
    samples: { since: '2026-01-01T00:00:00Z' },
  },
  listCommunityEvents: {
    idsOfNobody: { userId: 'A member, looked for in the community that admits the caller.' },
  },
  streamCommunityEvents: {
    idsOfNobody: { 'Last-Event-ID': 'A position in the log of the community that admits the caller.' },
    samples: { seconds: '0' },
  },
  replayEvents: {
    idsOfNobody: { eventId: 'An event, looked for in the log of the community that admits the caller.' },
    senderDecides: 'since until after',
    needsNoKey: 'Receivers drop a repetition by its webhook-id.',
    samples: { since: '2026-01-01T00:00:00Z' },
  },
  testWebhook: {
    senderDecides: 'webhookUrl type',
    needsNoKey: 'A test event changes nothing.',
    samples: { webhookUrl: 'http://127.0.0.1:9/hook' },
  },
  probeMiniApp: { needsNoKey: 'Tests the app; a repetition has the same result.' },
  setMiniAppProfile: { senderDecides: 'description icon url', samples: { url: 'https://mini.example' } },
  submitMiniApp: { senderDecides: 'notes', needsNoKey: 'A second submission is refused by the status.' },
  getInstalledApp: { idsOfNobody: { appId: 'The same app may be installed in many communities.' } },
  setInstalledAppSettings: {
    freeBody: 'The settings of a mini-app, whose content is up to the app.',
    idsOfNobody: { appId: 'The same app may be installed in many communities.' },
  },
};
