import { setTimeout as delay } from 'node:timers/promises';
import { startWorker, type Worker } from '@latchkey/db';
import { communityJobs } from '../../communities/admins/index.ts';
import { gatingJobs } from '../../gating/role-changes/jobs.ts';
import { contextFor, type Services } from '../../shared/context.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { patienceMs } from '../../testing/index.ts';
import { chatBotJobs } from './jobs.ts';

export const token = '0x00000000000000000000000000000000000000dd';

/** Starts a worker in this process that runs the jobs of chat bots and of roles. */
export function startTestWorker(services: Services): Worker {
  return startWorker({
    db: services.db,
    patienceMs,
    kinds: [...chatBotJobs, ...gatingJobs, ...communityJobs],
    log: services.log,
    random: services.random,
    makeContext: (kind) => contextFor(services, { kind: 'system', job: kind.name }),
    validate: () => undefined,
    concurrency: 4,
  });
}

export async function linkWallet({ db, clock }: Services, userId: string, address: string): Promise<void> {
  await db.pool.query(
    `insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
     values ($1, $2, 'matrix', 'evm', $3, $4)`,
    [`w${address}`, userKey('matrix', userId), address, clock()],
  );
}

/** A homeserver, with people on it. */
export interface Homeserver {
  url: string;
  addUser(localpart: string): Promise<{ userId: string; token: string }>;
  stop(): Promise<void>;
}

export interface MatrixUser {
  userId: string;
  token: string;
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

/** Someone with a client of their own: plain requests of the client-server API. */
export async function person(homeserver: Homeserver, localpart: string): Promise<MatrixUser> {
  const { userId, token: accessToken } = await homeserver.addUser(localpart);
  return {
    userId,
    token: accessToken,
    call: async function call(method, path, body): Promise<Record<string, unknown>> {
      const response = await fetch(`${homeserver.url}/_matrix/client${path}`, {
        method,
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as Record<string, unknown>;
      if (answer.errcode === 'M_LIMIT_EXCEEDED') {
        // As clients do: the homeserver says how long.
        await delay(Number(answer.retry_after_ms));
        return call(method, path, body);
      }
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
      return answer;
    },
  };
}
