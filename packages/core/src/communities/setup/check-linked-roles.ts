import type { Context } from '../../context.ts';
import { getRegistration } from '../../people/linked-roles/index.ts';
import type { SetupCheck } from './setup-check.ts';

const check = { id: 'linked-roles', subject: 'linked-roles', title: 'Discord linked roles' } as const;

/** Whether admins can build roles in Discord itself. Nothing depends on it, so that it is never a fault. */
export async function checkLinkedRoles(ctx: Pick<Context, 'linkedRoles' | 'settings'>): Promise<SetupCheck[]> {
  const { state } = await getRegistration(ctx);
  if (state === 'not-configured') return [];
  if (state === 'unknown')
    return [{ ...check, state: 'optional', reason: 'Discord did not say whether linked roles are available.' }];
  if (state !== 'registered')
    return [
      {
        ...check,
        state: 'optional',
        reason: 'Discord can give roles itself, by what members have linked. They are not registered with Discord yet.',
        remedy: 'The operator of this Latchkey server can register them under Operator > Linked roles.',
      },
    ];
  return [
    {
      ...check,
      state: 'ok',
      reason:
        'Another way to give roles, without the bot: in Discord, open Server Settings > Roles, choose a role, open Links, and add this bot. Members then connect in the console, under My account.',
    },
  ];
}
