import assert from 'node:assert/strict';
import { CollabLandClient } from '@collabland/sdk';
import { resources } from '@latchkey/core';
import { type Resource, splitSdk } from '@latchkey/kernel';
import { shortenForSdk } from './sdk-description.ts';
import { watchCalls } from './sdk-matrix.ts';
import { served } from './served.ts';
import type { TestServer } from './test-server.ts';

/** What the original SDK generates from the description, by controller and method. */
type Apis = Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>;

/** The original SDK, signed in as a user. */
export interface Sdk {
  apis: Apis;
  /** The credential in the SDK's format. */
  authorizations: unknown;
  /** The server to call, if it is not the one whose description was read. */
  baseURL?: string;
}

interface Description {
  serverUrl: string;
  apis: Promise<Apis>;
}

const descriptions = new Map<string, Description>();
const ofServers = new WeakMap<object, Promise<Description>>();

/** Connects the SDK. Parsing a description takes seconds, so servers with the same description share it. */
export async function connectSdk(server: Pick<TestServer, 'url'>, credential: Record<string, string>): Promise<Sdk> {
  const client = new CollabLandClient(credential, server.url);
  const describing = ofServers.get(server) ?? describe(server, client);
  ofServers.set(server, describing);
  const { authorizations } = (await client.get('datasources.config.rest')) as Pick<Sdk, 'authorizations'>;
  const { serverUrl, apis } = await describing;
  return { apis: await apis, authorizations, ...(serverUrl !== server.url && { baseURL: server.url }) };
}

async function describe({ url }: Pick<TestServer, 'url'>, client: CollabLandClient): Promise<Description> {
  const text = await (await fetch(`${url}/openapi.json`)).text();
  const common = text.replaceAll(url, '');
  const known = descriptions.get(common) ?? { serverUrl: url, apis: readDescription(client, text) };
  descriptions.set(common, known);
  return known;
}

async function readDescription(client: CollabLandClient, text: string): Promise<Apis> {
  const settings = (await client.get('datasources.config.rest')) as object;
  client.bind('datasources.config.rest').to({ ...settings, spec: shortenForSdk(JSON.parse(text)) });
  await client.connect();
  const source = (await client.get('datasources.rest')) as { getService(): Promise<{ apis: Apis }> };
  return (await source.getService()).apis;
}

/** Calls operations through the SDK, and records which. */
export interface SdkCaller {
  /** Calls an operation by its name in the SDK, with arguments in the SDK's order. */
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's answers are untyped here.
  call(sdk: Sdk, route: string, ...args: unknown[]): Promise<any>;
  /** Returns the operations of some resources that were not called. */
  routesLeft(isMeant: (resourceName: string) => boolean): string[];
}

export function createSdkCaller(): SdkCaller {
  const called = new Set<string>();
  const watch = watchCalls();
  return {
    call: async ({ apis, authorizations, ...where }, route, ...args) => {
      const operation = served.find((candidate) => candidate.route === route);
      assert.ok(operation, `${route} is not served`);
      const { controller = '', method = '' } = splitSdk(operation) ?? {};
      const verb = apis[controller]?.[method];
      assert.ok(verb, `the SDK has no ${controller}.${method}`);
      called.add(route);
      const names = [...Object.keys(operation.params), ...(operation.body === undefined ? [] : ['requestBody'])];
      assert.ok(args.length <= names.length, `${route} takes ${names.join()}`);
      // Arguments are followed by the options of the call.
      const options = { securities: { authorized: authorizations }, ...where };
      const note = { route, controller, method, args, as: [authorizations, where.baseURL] };
      try {
        const answer = await verb(...names.map((_name, index) => args[index]), options);
        watch({ ...note, answer, isRefused: false });
        return answer;
      } catch (error) {
        watch({ ...note, answer: undefined, isRefused: true });
        throw error;
      }
    },
    routesLeft: (isMeant) =>
      (resources as readonly Resource[])
        .filter(({ name }) => isMeant(name))
        .flatMap(({ operations }) => operations.map(({ route }) => route as string))
        .filter((route) => !called.has(route)),
  };
}

/** The resources with their own test, so that every resource is covered. */
export const aboutCommunities = [
  'account',
  'analytics',
  'assets',
  'axie-infinity',
  'communities',
  'ethereum-nfts',
  'evm',
  'flow',
  'staking-contracts',
];
export const aboutWallets = ['tokenproof', 'wallet-manager'];
export const aboutRoles = ['access-control', 'discord', 'reddit', 'role-manager'];

/** Matches an error as the SDK throws it. */
export function refusedWith(status: number, code: string) {
  return (error: unknown): boolean => {
    const { status: actual, response } = error as { status: number; response: { body: { error: { code: string } } } };
    assert.deepEqual([actual, response.body.error.code], [status, code]);
    return true;
  };
}
