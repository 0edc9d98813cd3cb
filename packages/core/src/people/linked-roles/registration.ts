import { AppError, choice, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type LinkedRoleRegistration, PlatformFailed } from '../../ports/index.ts';
import { notOffered } from './end-connection.ts';
import { linkedRolesPage } from './linked-roles.ts';
import { linkedRoleRecords } from './records.ts';

const states = ['registered', 'outdated', 'missing', 'unknown', 'not-configured'] as const;

const RegisteredValue = record('RegisteredValue', 'A value that admins can ask for in a linked role.', {
  key: text('Names the value.'),
  name: text('What Discord calls it.'),
  description: text('What it counts.'),
});

export const LinkedRolesRegistration = record('LinkedRolesRegistration', 'Whether Discord knows the linked roles.', {
  state: choice(
    'registered: Discord offers them. outdated: Discord has other values or another address. missing: nothing is registered. unknown: Discord could not be asked. not-configured: this server has no Discord application.',
    states,
  ),
  problem: T.Optional(text('Why Discord could not be asked.')),
  verificationUrl: text('Where Discord sends members to connect, and where it sends them back to.'),
  values: T.Array(RegisteredValue, { description: 'What this server tells Discord of people.', maxItems: 5 }),
});
export type LinkedRolesRegistration = ValueOf<typeof LinkedRolesRegistration>;

type RegistrationContext = Pick<Context, 'linkedRoles' | 'settings'>;

/** What Discord knows of the linked roles of this server's application. */
export async function getRegistration(ctx: RegistrationContext): Promise<LinkedRolesRegistration> {
  const { linkedRoles } = ctx;
  if (linkedRoles === undefined) return describe(ctx, { state: 'not-configured' });
  try {
    return describe(ctx, { state: stateOf(ctx, await linkedRoles.readRegistration()) });
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    return describe(ctx, { state: 'unknown', problem: error.message });
  }
}

/** Registers the values and the address with Discord. Doing it again changes nothing. */
export async function registerLinkedRoles(ctx: RegistrationContext): Promise<LinkedRolesRegistration> {
  const { linkedRoles } = ctx;
  if (linkedRoles === undefined) throw notOffered();
  try {
    await linkedRoles.register(linkedRoleRecords, linkedRolesPage(ctx));
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    throw new AppError('UNAVAILABLE', error.message, {
      retryAfterSeconds: error.retryAfterSeconds ?? 60,
      cause: error,
    });
  }
  return getRegistration(ctx);
}

function describe(
  ctx: RegistrationContext,
  found: Pick<LinkedRolesRegistration, 'state' | 'problem'>,
): LinkedRolesRegistration {
  const values = linkedRoleRecords.map(({ key, name, description }) => ({ key, name, description }));
  return { ...found, verificationUrl: linkedRolesPage(ctx), values };
}

function stateOf(ctx: RegistrationContext, { verificationUrl, records }: LinkedRoleRegistration) {
  if (records.length === 0) return 'missing';
  const isSame =
    records.length === linkedRoleRecords.length &&
    linkedRoleRecords.every((wanted) =>
      records.some(
        (record) =>
          record.key === wanted.key &&
          record.name === wanted.name &&
          record.description === wanted.description &&
          record.comparison === wanted.comparison,
      ),
    );
  return isSame && verificationUrl === linkedRolesPage(ctx) ? 'registered' : 'outdated';
}
