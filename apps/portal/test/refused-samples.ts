/** These change or end what the others need, in this order. */
export const ranLast: readonly string[] = [
  'PUT /latchkey/communities/{communityId}/shadow-mode',
  'POST /latchkey/communities/{communityId}/shadow-mode/take-over',
  'POST /latchkey/communities/{communityId}/shadow-mode/return',
  'PUT /latchkey/communities/{communityId}/rule-set/lock',
  'DELETE /latchkey/communities/{communityId}/rule-set/lock',
  'DELETE /latchkey/communities/{communityId}',
  'DELETE /communities/{id}',
  'DELETE /latchkey/account/sessions/{id}',
  'DELETE /latchkey/account/sessions',
  'DELETE /latchkey/session',
  'DELETE /account/wallets/{address}',
  'DELETE /account/wallets',
  'DELETE /wallet-manager/wallet-connections/{walletSk}',
  'DELETE /latchkey/account',
];

/** What a new server refuses as prefilled, with the status, by the reason. 0 is a field without a value. */
export const refusedSamples: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'A wallet, a passkey or an authenticator app signs for it, which no page can do.': {
    'POST /account/wallet-address': 401,
    'POST /ethereum-login/id-tokens': 401,
    'POST /latchkey/account/authenticators/{requestId}/confirm': 404,
    'POST /latchkey/handoffs/proof': 404,
    'POST /latchkey/treasuries/{address}/actions/{actionId}/approve': 400,
    'POST /wallet-manager/reset-wallets/{resetToken}': 404,
    'POST /wallet-manager/wallet-connections/resume': 404,
    'POST /webauthn/authentication/store': 401,
    'POST /webauthn/authentication/verify': 401,
    'DELETE /webauthn/credentials/{id}': 404,
    'GET /webauthn/credentials/{id}': 404,
    'PATCH /webauthn/credentials/{id}': 404,
    'POST /webauthn/registration/verify': 422,
  },
  'Another server signs it: a mini-app platform, Stripe, or an app on Reddit.': {
    'POST /hello-action/events': 401,
    'POST /hello-action/interactions': 401,
    'POST /latchkey/devvit/sync': 422,
    'POST /stripe/webhook': 401,
  },
  'It takes a code that was mailed, or that a person got from another site or on another device, and works once.': {
    'POST /dev-orgs/verify': 400,
    'POST /latchkey/account/linked-roles': 404,
    'POST /latchkey/account/reddit-consent': 404,
    'POST /latchkey/account/reddit-consent/subreddits': 404,
    'POST /latchkey/account/x': 404,
    'POST /latchkey/handoffs/accept': 404,
    'POST /user-authorizations/{slug}': 404,
  },
  'A mini-app gets its id when a member presses a button in chat, for 15 minutes.': {
    'POST /discord/webhooks/{interactionId}': 404,
    'GET /discord/webhooks/{interactionId}/messages/{messageId}': 404,
    'PATCH /discord/webhooks/{interactionId}/messages/{messageId}': 404,
    'DELETE /discord/webhooks/{interactionId}/messages/{messageId}': 404,
  },
  'The result of a check that ran in the background; the sample of the check waits for it instead.': {
    'GET /access-control/check-roles/responses/{requestId}': 404,
  },
  'The server of the sample community sells no plans, because all features are included.': {
    'GET /communities/{id}/premium-support': 404,
    'POST /latchkey/account/billing-portal': 404,
    'POST /latchkey/plans/{planId}/checkout': 503,
    'POST /stripe/subscription/{planId}': 503,
    'DELETE /stripe/subscription/{planId}/subscriber/{subscriberId}': 404,
    'POST /unlock/subscription/{planId}': 503,
  },
  'The owner of the sample community has no account on X, no linked roles and one wallet, and is a member already.': {
    'POST /latchkey/account/communities/{communityId}/role-invite': 409,
    'DELETE /latchkey/account/linked-roles': 404,
    'DELETE /latchkey/account/x': 404,
    'POST /latchkey/account/x/attempts': 503,
    'DELETE /wallet-manager/wallet-connections/{walletSk}': 404,
  },
  'Needs a Telegram chat, a person who signed in with Telegram, or the secret of a moderator on Reddit.': {
    'POST /latchkey/communities/{communityId}/gate-bypasses/{bypassId}/revoke': 0,
    'POST /latchkey/telegram-join-requests/{slug}/check': 0,
    'POST /latchkey/telegram-join-requests/{slug}/open': 0,
    'POST /reddit/community': 422,
    'GET /telegram-pkp/check-availability': 403,
    'POST /telegram-pkp/claim': 403,
  },
  'Only pages of the server itself may sign a browser in to the console.': {
    'POST /latchkey/session': 403,
  },
  'Needs role changes that give a role and wait, or that Discord refused too often, or a rejected mini-app: nothing of that is in a new community.':
    {
      'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/approve-grants': 404,
      'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/reject-and-restore': 404,
      'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/retry': 404,
      'POST /latchkey/miniapps/{miniAppId}/submit': 409,
    },
  'The sample network of NEAR has no bridged token.': {
    'POST /near-nft/bridge-tokens/withdraw': 404,
  },
  'The key of the operator belongs to no account, so the sample names the person of the recording.': {
    'GET /latchkey/operator/people/{userId}': 404,
    'POST /latchkey/operator/communities/{communityId}/transfer': 400,
  },
};
