import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import type { TestPlatform } from '../../testing/index.ts';
import type { ClientApplication } from './client-app.ts';
import { create } from './create.ts';

export type Person = Extract<Actor, { kind: 'user' }>;
export type NewApp = ClientApplication & { id: string; apiKey: string };

let people = 0;

/** A new user, so that no test uses up another one's plan. */
export function newPerson(): Person {
  people += 1;
  return {
    kind: 'user',
    userId: `DIS#USER#7${people}`,
    platform: 'discord',
    name: `person ${people}`,
    scopes: ['$all'],
    credential: 'wallet-session',
  };
}

/** Creates an application, as its owner receives it. */
export async function newApp(t: TestPlatform, owner: Actor, fields: Record<string, unknown> = {}): Promise<NewApp> {
  const { id = '', apiKey = '', ...app } = await create(t.as(owner), { body: { name: 'An app', ...fields } });
  return { ...app, id, apiKey };
}

export async function newOrganization(t: TestPlatform, owner: Person, options: { verified: boolean }): Promise<string> {
  const id = t.services.random.id();
  const now = t.services.clock();
  const row = {
    id,
    created_by_id: owner.userId,
    name: 'An organization',
    email: 'dev@app.example',
    plan_id: 'free',
    created_at: now,
    code_requested_at: now,
    verified_at: options.verified ? now : null,
  };
  await t.services.db.system.insertInto('organizations').values(row).execute();
  return id;
}

/** For `assert.rejects`: the error has this code. */
export function fails(code: ErrorCode) {
  return (error: unknown) => error instanceof AppError && error.code === code;
}
