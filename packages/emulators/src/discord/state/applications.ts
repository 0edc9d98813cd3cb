import { ed25519 } from '@noble/curves/ed25519.js';
import { privilegedIntents } from '../intents.ts';
import { createUser } from './guilds.ts';
import type { Application, Snowflake } from './types.ts';
import type { World } from './world.ts';

export interface NewApplication {
  name?: string;
  id?: Snowflake;
  token?: string;
  clientSecret?: string;
  redirectUris?: readonly string[];
}

/** Creates an application with its bot, as the developer portal does. */
export function createApplication(world: World, options: NewApplication = {}): Application {
  const { name = 'Latchkey', id = world.nextId(), redirectUris = [] } = options;
  const privateKey = new Uint8Array(world.derive(`signing key of ${id}`));
  const application: Application = {
    id,
    name,
    // An application and its bot have the same id.
    bot: createUser(world, name, id, true),
    owner: createUser(world, `${name} developer`),
    token: options.token ?? newBotToken(world, id),
    clientSecret: options.clientSecret ?? world.nextToken('client secret'),
    redirectUris: new Set(redirectUris),
    publicKey: Buffer.from(ed25519.getPublicKey(privateKey)).toString('hex'),
    privateKey,
    interactionsUrl: undefined,
    isPersonal: false,
    privilegedIntents,
    commands: new Map(),
    roleConnectionRecords: [],
    roleConnections: new Map(),
    roleConnectionsUrl: undefined,
  };
  world.applications.set(id, application);
  world.applicationsByToken.set(application.token, application);
  return application;
}

/** Invalidates the bot's token, so that it needs a new one from the developer portal. */
export function resetToken(world: World, application: Application): void {
  world.applicationsByToken.delete(application.token);
  application.token = newBotToken(world, application.id);
  world.applicationsByToken.set(application.token, application);
}

/** The id of the bot, the time of issue and a secret, as Discord's tokens have them. */
function newBotToken(world: World, id: Snowflake): string {
  const issued = Buffer.alloc(4);
  issued.writeUInt32BE(Math.floor(world.clock() / 1000) % 2 ** 32);
  return [Buffer.from(id).toString('base64url'), issued.toString('base64url'), world.nextToken('bot')].join('.');
}
