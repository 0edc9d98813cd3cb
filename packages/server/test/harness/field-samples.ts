import type { Samples } from './sample-request.ts';

/** Values of fields that the features validate beyond their schemas. */
export const fieldSamples: Samples = {
  ids: 'user:read,token-gating',
  planId: 'free',
  requestId: (dice) => `request-${dice.below(1_000_000)}`,
  wait: 0,
  email: 'dev@example.org',
  url: 'https://app.example',
  icon: 'https://app.example/icon.png',
  redirectUris: 'https://app.example/callback',
  allowedGrantTypes: 'authorization_code',
  allowedOrigins: 'https://app.example',
  allowedReferrers: 'https://app.example/page',
  allowedIpAddresses: '127.0.0.0/8',
  subscribeEvents: 'client-app.status-changed',
  webhookUrl: 'http://127.0.0.1:9/hook',
  requestedScopes: 'user:read',
  allowedScopes: 'user:read',
  disallowedScopes: 'token-gating',
  tenant: 'example',
  paginationToken: 'AAAA',
  accountId: 'evm:1:0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  resources: 'https://app.example/terms',
};
