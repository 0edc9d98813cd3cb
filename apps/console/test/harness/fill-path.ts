import type { APIRequestContext } from 'playwright-core';

export interface Place {
  url: string;
  request: APIRequestContext;
}

/** Finds what a parameter in the path of a screen may stand for; undefined where a community has nothing of the kind. */
type Find = (place: Place, communityId: string) => Promise<string | undefined>;

const headers = { 'x-latchkey-console': '1' };

/** The first item of a list, by one of its fields. */
function first(path: (communityId: string) => string, ...fields: string[]): Find {
  return async ({ url, request }, communityId) => {
    const answer = await request.get(`${url}${path(encodeURIComponent(communityId))}`, { headers });
    if (!answer.ok()) return undefined;
    const body: unknown = await answer.json();
    const items = Array.isArray(body) ? body : readItems(body);
    const [item = {}] = items;
    return fields.map((field) => item[field]).find((value) => typeof value === 'string');
  };
}

type Item = Readonly<Record<string, string | undefined>>;

function readItems(body: unknown): Item[] {
  return typeof body === 'object' && body !== null && 'items' in body && Array.isArray(body.items) ? body.items : [];
}

/** Mini-apps are listed by the organization that they belong to. */
const firstMiniApp: Find = async (place, communityId) => {
  const orgId = await first(() => '/latchkey/dev-orgs', 'id')(place, communityId);
  return orgId === undefined ? undefined : first(() => `/miniapps/dev-orgs/${orgId}`, 'id')(place, communityId);
};

/** An import of the community; one is made where there is none, so that its screen has something to show. */
const firstImport: Find = async (place, communityId) => {
  const path = `/latchkey/communities/${encodeURIComponent(communityId)}/rule-imports`;
  const found = await first(() => path, 'id')(place, communityId);
  if (found !== undefined) return found;
  const rows = ['Holder,ERC721,1,0x00000000000000000000000000000000000000aa,1', 'Vulcan role,ODD,1,0xaa,1'];
  const data = { source: 'sheet', content: ['role,type,chain,contract,min', ...rows].join('\n') };
  const made = await place.request.post(`${place.url}${path}`, { headers, data });
  return made.ok() ? (await made.json()).id : undefined;
};

const params: Readonly<Record<string, Find>> = {
  communityId: async (_place, communityId) => communityId,
  changeSetId: first((id) => `/latchkey/communities/${id}/change-sets?limit=1`, 'id'),
  memberId: first((id) => `/latchkey/communities/${id}/members?limit=1`, 'userId', 'id'),
  userId: first((id) => `/latchkey/communities/${id}/members?limit=1`, 'userId', 'id'),
  importId: firstImport,
  ruleId: first((id) => `/communities/${id}/tpcs`, 'id', 'sk'),
  appId: first(() => '/client-apps?limit=1', 'id'),
  orgId: first(() => '/latchkey/dev-orgs', 'id'),
  miniAppId: firstMiniApp,
  clientId: first(() => '/client-apps?limit=1', 'id'),
};

/** The path of a screen with its parameters filled in, or the name of the parameter that nothing is known for. */
export async function fillPath(
  place: Place,
  path: string,
  communityId: string,
): Promise<{ path: string } | { missing: string }> {
  let filled = path;
  for (const [, name = ''] of path.matchAll(/\$(\w+)/g)) {
    const value = await params[name]?.(place, communityId);
    if (value === undefined) return { missing: name };
    filled = filled.replace(`$${name}`, encodeURIComponent(value));
  }
  return { path: filled };
}

/** An application and an organization of the signed-in person, so that the screens of developers have something to show. */
export async function makeDeveloper({ url, request }: Place): Promise<void> {
  for (const [path, data] of [
    ['/client-apps', { name: 'Cats of ours', webhookUrl: 'https://hooks.example/latchkey' }],
    ['/dev-orgs', { name: 'Cat people', email: 'cats@example.org' }],
  ] as const) {
    const made = await request.post(`${url}${path}`, { headers, data });
    if (!made.ok()) throw new Error(`${path} answered ${made.status()}: ${await made.text()}`);
  }
}
