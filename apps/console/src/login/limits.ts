import type { PageMessageId } from '../messages/index.ts';

type Limit = PageMessageId & `limit.${string}`;

/** What an application may not do, as messages that follow "may not". A scope lifts the limits that name it. */
const limits: readonly { message: Limit; liftedBy: readonly string[] }[] = [
  { message: 'limit.keys', liftedBy: [] },
  { message: 'limit.assets', liftedBy: ['user:pkp:sign'] },
  { message: 'limit.wallets', liftedBy: ['user:wallet:write'] },
  { message: 'limit.signIn', liftedBy: ['user:webauthn-credential:write', 'user:wallet:write'] },
  { message: 'limit.communities', liftedBy: ['community:write', 'discord:guild', 'role-manager'] },
];

/** What stays forbidden to an application that is allowed these scopes. */
export function limitsOf(scopes: readonly string[]): Limit[] {
  return limits
    .filter(({ liftedBy }) => !liftedBy.some((scope) => scopes.includes(scope)))
    .map(({ message }) => message);
}
