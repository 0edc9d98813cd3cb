import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { MemberWrite, RoleHost } from '../../../ports/index.ts';

/** A chat platform behind HTTP, for workers in separate processes. Tests compare with its state. */
export interface HttpPlatform {
  url: string;
  roles: Map<string, Set<string>>;
  /** How many writes changed something, and how many changed nothing. */
  counts: { changing: number; idle: number };
  close(): Promise<void>;
}

export async function startHttpPlatform(): Promise<HttpPlatform> {
  const roles = new Map<string, Set<string>>();
  const counts = { changing: 0, idle: 0 };
  const server = createServer(async (request, response) => {
    const { communityId, userId, add = [], remove = [] } = JSON.parse(await text(request)) as Partial<MemberWrite>;
    const held = roles.get(`${communityId}/${userId}`);
    if (held !== undefined && request.url === '/write') {
      const isIdle = add.every((role) => held.has(role)) && remove.every((role) => !held.has(role));
      counts[isIdle ? 'idle' : 'changing'] += 1;
      for (const role of add) held.add(role);
      for (const role of remove) held.delete(role);
    }
    response.end(JSON.stringify(held === undefined ? null : [...held]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    roles,
    counts,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A role host that talks to such a platform. */
export function httpHost(url: string): RoleHost {
  const call = async (path: string, body: object): Promise<string[] | undefined> => {
    const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    return ((await response.json()) as string[] | null) ?? undefined;
  };
  return {
    platform: 'discord',
    writesAtOnce: 10,
    readMember: async (communityId, userId) => {
      const roleIds = await call('/read', { communityId, userId });
      return roleIds && { userId, roleIds };
    },
    readMembers: async function* () {},
    readRoles: async () => [],
    writeMember: async (write) => {
      const roleIds = await call('/write', write);
      return roleIds === undefined ? { kind: 'gone' } : { kind: 'written', roleIds, calls: 1 };
    },
  };
}
