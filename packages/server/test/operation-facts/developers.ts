import type { OperationFacts } from './index.ts';

export const developersFacts: Readonly<Record<string, OperationFacts>> = {
  token: {
    needsNoKey: 'By RFC 6749: a code and a refresh token work once by themselves.',
    senderDecides:
      'grant_type scope code redirect_uri code_verifier client_id client_secret username password refresh_token',
  },
  introspect: { needsNoKey: 'Only reads.', senderDecides: 'token token_type_hint client_id' },
  revoke: { needsNoKey: 'A token that is revoked stays revoked.', senderDecides: 'token token_type_hint client_id' },
  createUserAuthorization: {
    senderDecides: 'rememberDecisions scopes',
    idsOfNobody: { slug: 'Known to the browser that an application has sent here; it decides for itself.' },
  },
  getUserAuthorizationByClientId: {
    idsOfNobody: { clientId: 'An application; only what the caller allowed it is looked for.' },
  },
  deleteUserAuthorization: {
    idsOfNobody: { clientId: 'An application; only what the caller allowed it is taken back.' },
  },
  updateMiniApp: { senderDecides: 'name' },
  createMiniApp: { senderDecides: 'pk name icon description feedback url platforms metadata' },
  resendWebhookDelivery: { needsNoKey: 'Receivers drop a repetition by its webhook-id.' },
  replayWebhookDeliveries: {
    senderDecides: 'since',
    needsNoKey: 'Receivers drop a repetition by its webhook-id.',
    samples: { since: '2026-01-01T00:00:00Z' },
  },
  testWebhook: {
    senderDecides: 'webhookUrl type',
    needsNoKey: 'A test event changes nothing.',
    samples: { webhookUrl: 'http://127.0.0.1:9/hook' },
  },
  probeMiniApp: { needsNoKey: 'Tries the app out; a repetition finds the same.' },
  setMiniAppProfile: { senderDecides: 'description icon url', samples: { url: 'https://mini.example' } },
  submitMiniApp: { senderDecides: 'notes', needsNoKey: 'A second submission is refused by the status.' },
  getInstalledApp: { idsOfNobody: { appId: 'The same app may be installed in many communities.' } },
  setInstalledAppSettings: {
    freeBody: 'The settings of a mini-app, which are its own.',
    idsOfNobody: { appId: 'The same app may be installed in many communities.' },
  },
};
