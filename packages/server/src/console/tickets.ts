import { burnNonce, chatVisitor, isNonceBurnt, listAdminKeys, type Services } from '@latchkey/core';
import { hashSecret } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { isLoopbackName } from '../http/loopback.ts';

export const ticketMinutes = 10;

const keyPurpose = 'console-ticket';

/** Who a link signs in: the operator by an admin key, or a user of a chat platform. */
export type TicketHolder = { adminKeyId: string; name: string } | { userId: string; platform: string; name: string };

/**
 * Links that sign a browser in to the console once. A ticket contains its data, encrypted with the server's keys, so
 * that `latchkey open` can create one next to the running server. Used tickets are recorded in the database.
 */
export interface ConsoleTickets {
  /** Creates a link and returns its path. */
  issue(holder: TicketHolder): Promise<string>;
  /** Returns who a ticket signs in, without consuming it; undefined if it is unknown, used or expired. */
  find(ticket: string): Promise<Actor | undefined>;
  /** The same, but consumes the ticket. */
  take(ticket: string): Promise<Actor | undefined>;
}

type TicketServices = Pick<Services, 'clock' | 'db' | 'keyring' | 'random'>;

export function createTickets(services: TicketServices): ConsoleTickets {
  const { clock, db, keyring, random } = services;
  return {
    issue: async (holder) => {
      const [current] = keyring.derive(keyPurpose);
      if (current === undefined) throw new Error('The keyring is empty.');
      const ticket = await new EncryptJWT({ holder })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: current.id })
        .setJti(random.id(43))
        .setExpirationTime(Math.floor(clock().getTime() / 1000) + ticketMinutes * 60)
        .encrypt(current.key);
      return `/console/enter/${ticket}`;
    },
    find: async (ticket) => {
      const opened = await openTicket(services, ticket);
      if (opened === undefined || (await isNonceBurnt(db.system, opened.hash))) return undefined;
      return actorOf(services, opened.holder);
    },
    take: async (ticket) => {
      const opened = await openTicket(services, ticket);
      if (opened === undefined || !(await burnNonce(db.system, opened.hash, opened.expiresAt))) return undefined;
      return actorOf(services, opened.holder);
    },
  };
}

async function openTicket({ clock, keyring }: TicketServices, ticket: string) {
  try {
    const { payload } = await jwtDecrypt<{ holder: TicketHolder }>(
      ticket,
      ({ kid }) => {
        const found = keyring.derive(keyPurpose).find(({ id }) => id === kid);
        if (found === undefined) throw new errors.JWEInvalid('Unknown key.');
        return found.key;
      },
      {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        currentDate: clock(),
        requiredClaims: ['exp', 'jti', 'holder'],
      },
    );
    const { jti = '', exp = 0, holder } = payload;
    return { hash: hashSecret(jti), expiresAt: new Date(exp * 1000), holder };
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

function actorOf(services: TicketServices, holder: TicketHolder): Actor {
  if ('adminKeyId' in holder) return { kind: 'admin', name: holder.name, keyId: holder.adminKeyId };
  return chatVisitor(services, holder);
}

/**
 * Returns sign-in links to the console for users with a shell on the server's machine; undefined if the server is not
 * local.
 */
export async function describeEntrance(
  services: TicketServices & Pick<Services, 'settings'>,
  sampleOwner?: TicketHolder,
): Promise<string | undefined> {
  const { baseUrl } = services.settings;
  if (!isLoopbackName(new URL(baseUrl).hostname)) return undefined;
  const tickets = createTickets(services);
  const lines: string[] = [];
  if (sampleOwner !== undefined)
    lines.push(`as the owner of the sample community   ${baseUrl}${await tickets.issue(sampleOwner)}`);
  const key = await findKey(services);
  if (key !== undefined) {
    const path = await tickets.issue({ adminKeyId: key.id, name: key.name });
    lines.push(`as the operator                        ${baseUrl}${path}`);
  }
  if (lines.length === 0) return undefined;
  return `Open the console, signed in (each link works once, for ${ticketMinutes} minutes):\n  ${lines.join('\n  ')}`;
}

/** Finds an admin key for the operator's session. One that is bound to IP addresses may not work on this machine. */
async function findKey(services: TicketServices) {
  const now = services.clock();
  return (await listAdminKeys(services)).find(
    (key) =>
      key.revoked_at === null &&
      (key.expires_at === null || key.expires_at > now) &&
      key.allowed_ip_addresses.length === 0,
  );
}
