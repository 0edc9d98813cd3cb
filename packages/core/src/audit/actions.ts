/** The closed list of what is put on record, with what it means. */
export const auditActions = {
  'account.erase': 'An account was erased.',
  'admin-key.create': 'An admin key was created.',
  'admin-key.revoke': 'An admin key was revoked.',
  'app.create': 'An approved client application was created for somebody.',
  'app.decide': 'A client application was approved, rejected, revoked or published.',
  'community.hand-over': 'A community got another owner.',
  'jobs.retry': 'Jobs that had been given up were started again.',
  'kudos.give': 'Kudos were given in the name of somebody.',
  'mini-app.decide': 'A mini-app was approved, rejected, reopened, revoked or published.',
  'plan.approve': 'A held role plan was approved.',
  'plan.reject': 'A held role plan was rejected.',
  'plan.undo': 'A role plan was undone.',
  'registry.deploy': 'A registry of hosted wallets was deployed.',
  'secrets.rewrap': 'All secrets were wrapped under the current master key.',
  'signing-key.rotate': 'A signing key was replaced.',
  'ticket.decide': 'A support ticket was decided.',
  'token.issue': 'A token that acts as a user was issued.',
  'waiting-list.invite': 'An invitation to the waiting list was given or taken back.',
  'waiting-list.replace-signer': 'The signer of the waiting list was replaced.',
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof auditActions;

export function isAuditAction(name: string): name is AuditAction {
  return Object.hasOwn(auditActions, name);
}
