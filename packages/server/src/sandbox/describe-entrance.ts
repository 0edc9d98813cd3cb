import { chatVisitor, listAdminKeys, type Services, userKey } from '@latchkey/core';
import type { SampleWorld } from '@latchkey/emulators/sample-world';
import { type ConsoleTickets, ticketMinutes } from '../console/tickets.ts';
import { isLoopbackName } from '../http/loopback.ts';

/** Links into the console as the sample community's owner and as the operator, printed to the terminal. */
export async function describeEntrance(
  services: Services,
  { guild }: Pick<SampleWorld, 'guild'>,
  tickets: ConsoleTickets,
): Promise<string> {
  const { baseUrl } = services.settings;
  if (!isLoopbackName(new URL(baseUrl).hostname)) return '';
  const owner = { userId: userKey('discord', guild.ownerId), platform: 'discord', name: 'owner' };
  const asOwner = tickets.issue(() => chatVisitor(services, owner));
  const key = await findKey(services);
  const asOperator = key && tickets.issue(() => ({ kind: 'admin', name: key.name, keyId: key.id }));
  return `
Open the console, signed in (each link works once, for ${ticketMinutes} minutes):
  as the owner of the sample community   ${baseUrl}${asOwner}${asOperator === undefined ? '' : `\n  as the operator                        ${baseUrl}${asOperator}`}
`;
}

/** A key whose session the operator gets; one that is bound to addresses may not be for this machine. */
async function findKey(services: Services) {
  const now = services.clock();
  return (await listAdminKeys(services)).find(
    (key) =>
      key.revoked_at === null &&
      (key.expires_at === null || key.expires_at > now) &&
      key.allowed_ip_addresses.length === 0,
  );
}
