import { choice, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { type MiniAppDecision, miniAppDecisions } from '../../communities/miniapps/index.ts';
import { type Decision, decisions } from '../../developers/client-apps/index.ts';

const notes = T.Optional(text('Why, for the owner of the app and for the record.', { maxLength: 1024 }));

export const ApplicationDecision = record('ApplicationDecision', 'What the operator decides about an application.', {
  decision: choice(
    'approve: it works; reject: it was turned down; list: it works and is shown to others; revoke: it stops for good.',
    Object.keys(decisions) as Decision[],
  ),
  scopes: T.Optional(texts('The scopes to grant. Defaults to those granted before.', { maxLength: 64 })),
  notes,
});
export type ApplicationDecision = ValueOf<typeof ApplicationDecision>;

export const MiniAppDecisionBody = record('MiniAppDecision', 'What the operator decides about a mini-app.', {
  decision: choice(
    'approve: it may be listed; reject: it was turned down; reopen: it waits for review again; list: it is probed, and then communities can install it; revoke: it is taken off.',
    Object.keys(miniAppDecisions) as MiniAppDecision[],
  ),
  notes,
});
export type MiniAppDecisionBody = ValueOf<typeof MiniAppDecisionBody>;

export const DevelopmentAppBody = record(
  'DevelopmentAppRequest',
  'An application that works at once, for trying out.',
  {
    name: text('What the application is called.', { minLength: 1, maxLength: 200 }),
    userId: T.Optional(text('Who will own it. Defaults to the operator.', { minLength: 1, maxLength: 128 })),
    scopes: texts('The scopes to grant.', { maxLength: 64 }),
    redirectUris: T.Optional(
      texts('Where logins may return to. Without any it only calls with its key.', { maxLength: 2048 }),
    ),
    clientType: T.Optional(
      choice('For an application that logs people in. Defaults to confidential.', ['confidential', 'public']),
    ),
    reason: T.Optional(text('Why, for the record.', { maxLength: 500 })),
  },
);
export type DevelopmentAppBody = ValueOf<typeof DevelopmentAppBody>;

export const AppExamination = record('AppExamination', 'What was found by trying out the set-up of an application.', {
  findings: T.Array(
    record('AppFinding', 'One thing that was tried.', {
      level: choice('ok: it works; warn: it may surprise; fail: it will fail.', ['ok', 'warn', 'fail']),
      about: text('What was tried.', { maxLength: 300 }),
      says: text('What came of it, and what to do.', { maxLength: 4000 }),
    }),
    { description: 'Everything that was tried, in order.', maxItems: 1000 },
  ),
});
export type AppExamination = ValueOf<typeof AppExamination>;

export const SigningDomain = record('SigningDomain', 'Typed data that an application may have hosted wallets sign.', {
  clientId: text('The application.', { maxLength: 64 }),
  domain: text('The contract and its chain, or the name of the domain.'),
  notes: T.Optional(text('Why it was allowed.')),
  createdTime: text('When it was allowed, in ISO 8601.'),
});
export type SigningDomain = ValueOf<typeof SigningDomain>;

export const SigningDomainBody = record('SigningDomainRequest', 'A domain of typed data.', {
  domain: text('0x…@1 for a contract on a chain, 0x…@any for one that names no chain, or name: and its name.', {
    minLength: 1,
    maxLength: 256,
  }),
  notes: T.Optional(text('Why, for the record.', { maxLength: 500 })),
});
export type SigningDomainBody = ValueOf<typeof SigningDomainBody>;
