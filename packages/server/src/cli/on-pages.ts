import type { Route } from '@latchkey/kernel';

/** The console screen and operation equivalent to a command, or why the command exists only in the shell. */
export type OnPages = { screen: string; operation: Route } | { shellOnly: string };

const at = (screen: string) => (operation: Route) => ({ screen, operation });

const approvals = at('/operator/approvals');
const audit = at('/operator/audit');
const communities = at('/operator/communities');
const jobs = at('/operator/jobs');
const keys = at('/operator/keys');
const mails = at('/operator/mails');
const people = at('/operator/people');
const person = at('/operator/people/$userId');
const plans = at('/operator/plans');
const spending = at('/operator/spending');
const tickets = at('/operator/tickets');
const waitingList = at('/operator/waiting-list');
const changeSets = at('/communities/$communityId/role-changes');
const changeSetPage = at('/communities/$communityId/role-changes/$changeSetId');
const importing = at('/communities/$communityId/rules/import');
const imported = at('/communities/$communityId/rules/import/$importId');
const shadowPage = at('/communities/$communityId/shadow-mode');
const member = at('/communities/$communityId/members/$userId');

const decideApp = approvals('POST /latchkey/operator/applications/{id}/decision');
const decideMiniApp = approvals('POST /latchkey/operator/mini-apps/{id}/decision');
const decideTicket = tickets('POST /latchkey/operator/tickets/{id}/decision');
const files = { shellOnly: 'It works on files of this machine, which pages cannot read.' };
const shadowMode = '/latchkey/communities/{communityId}/shadow-mode';
const oneChangeSet = '/latchkey/communities/{communityId}/change-sets/{changeSetId}';

/** Every command by its verbs; the verb '' is the command without one. */
export const onPages: Readonly<Record<string, Readonly<Record<string, OnPages>>>> = {
  account: {
    erase: person('POST /latchkey/operator/people/{userId}/erase'),
    erasures: people('GET /latchkey/operator/erasures'),
  },
  'admin-key': {
    list: keys('GET /latchkey/operator/admin-keys'),
    create: keys('POST /latchkey/operator/admin-keys'),
    revoke: keys('DELETE /latchkey/operator/admin-keys/{id}'),
  },
  apps: {
    '': approvals('GET /latchkey/operator/applications'),
    approve: decideApp,
    reject: decideApp,
    revoke: decideApp,
    publish: decideApp,
  },
  audit: { '': audit('GET /latchkey/audit-log') },
  communities: {
    transfer: communities('POST /latchkey/operator/communities/{communityId}/transfer'),
    'check-period': communities('PATCH /latchkey/communities/{id}/settings'),
  },
  'dev-app': { '': approvals('POST /latchkey/operator/applications') },
  discord: {
    intents: { shellOnly: 'It prints texts to paste into Discord’s own form once a year.' },
  },
  // Without an application it reports what /operator shows, and what can only be seen on the server's machine.
  doctor: { '': approvals('POST /latchkey/operator/applications/{id}/examination') },
  import: {
    '': importing('POST /latchkey/communities/{communityId}/rule-imports'),
    apply: imported('POST /latchkey/communities/{communityId}/rule-imports/{importId}/apply'),
  },
  jobs: {
    '': jobs('GET /latchkey/operator/jobs'),
    dead: jobs('GET /latchkey/operator/jobs/dead'),
    retry: jobs('POST /latchkey/operator/jobs/retry'),
  },
  keys: {
    rotate: keys('POST /latchkey/operator/signing-keys/{purpose}/rotate'),
    rewrap: {
      shellOnly:
        'It runs between two restarts of every process with different master keys, and takes as long as there are secrets.',
    },
  },
  kudos: {
    list: person('GET /kudos/users/{userId}/{type}'),
    give: { shellOnly: 'It acts on behalf of a user, which the console never allows.' },
  },
  mails: { '': mails('GET /latchkey/operator/mails') },
  miniapps: {
    '': approvals('GET /latchkey/operator/mini-apps'),
    approve: decideMiniApp,
    reject: decideMiniApp,
    reopen: decideMiniApp,
    revoke: decideMiniApp,
    publish: decideMiniApp,
    probe: approvals('POST /latchkey/miniapps/{miniAppId}/probe'),
  },
  'change-sets': {
    '': changeSets('GET /latchkey/communities/{communityId}/change-sets'),
    preview: changeSets('POST /latchkey/communities/{communityId}/change-sets'),
    show: changeSetPage(`GET ${oneChangeSet}`),
    approve: changeSetPage(`POST ${oneChangeSet}/approve`),
    'approve-grants': changeSetPage(`POST ${oneChangeSet}/approve-grants`),
    reject: changeSetPage(`POST ${oneChangeSet}/reject`),
    retry: changeSetPage(`POST ${oneChangeSet}/retry`),
    undo: changeSetPage(`POST ${oneChangeSet}/undo`),
    why: member('GET /latchkey/communities/{communityId}/members/{userId}/roles'),
  },
  open: { '': { shellOnly: 'The link it prints signs a browser in, so it needs access to the server’s machine.' } },
  registry: {
    '': spending('GET /latchkey/operator/spending'),
    deploy: {
      shellOnly: 'It spends money once, and its result must be set on every process before a restart.',
    },
  },
  rules: {
    pull: files,
    fmt: files,
    test: files,
    explain: files,
    plan: files,
    apply: files,
    drift: files,
    review: files,
  },
  shadow: {
    '': shadowPage(`GET ${shadowMode}`),
    differences: shadowPage(`GET ${shadowMode}/differences`),
    start: shadowPage(`PUT ${shadowMode}`),
    'take-over': shadowPage(`POST ${shadowMode}/take-over`),
    undo: shadowPage(`POST ${shadowMode}/return`),
  },
  signatures: { '': person('GET /latchkey/operator/people/{userId}/signatures') },
  'signing-domains': {
    '': approvals('GET /latchkey/operator/signing-domains'),
    allow: approvals('POST /latchkey/operator/applications/{clientId}/signing-domains'),
    remove: approvals('DELETE /latchkey/operator/applications/{clientId}/signing-domains/{domain}'),
  },
  spending: { '': spending('GET /latchkey/operator/spending') },
  'subscription-plans': {
    '': plans('GET /latchkey/plans'),
    show: plans('GET /latchkey/plans'),
    save: plans('PUT /latchkey/plans/{planId}'),
    price: plans('PUT /latchkey/plans/{planId}'),
    delete: plans('DELETE /latchkey/plans/{planId}'),
    give: plans('PUT /latchkey/plans/{planId}/subscribers/{subscriberId}'),
    take: plans('DELETE /latchkey/plans/{planId}/subscribers/{subscriberId}'),
  },
  tickets: {
    '': tickets('GET /latchkey/operator/tickets'),
    open: decideTicket,
    resolve: decideTicket,
    close: decideTicket,
    spam: decideTicket,
    delete: decideTicket,
  },
  token: {
    ae: { shellOnly: 'A token that acts as another user is never shown on a page, where others could read it.' },
    bearer: { shellOnly: 'A token that acts as another user is never shown on a page, where others could read it.' },
  },
  'waiting-list': {
    show: waitingList('GET /latchkey/operator/waiting-list'),
    'replace-signer': waitingList('POST /latchkey/operator/waiting-list/signer'),
    invite: waitingList('PUT /latchkey/operator/waiting-list/guests/{userId}'),
    uninvite: waitingList('DELETE /latchkey/operator/waiting-list/guests/{userId}'),
  },
};
