import { AppError, type Operation, type Resource } from '@latchkey/kernel';
import type { ToolContext } from './tool.ts';

interface ListedResource {
  uri: string;
  name: string;
  title: string;
  mimeType: string;
}

/** What agents can read by address, without calling a tool. */
export interface McpResources {
  templates: readonly {
    uriTemplate: string;
    name: string;
    title: string;
    description: string;
    mimeType: string;
  }[];
  /** The resources that every caller may read. */
  list(): Promise<readonly ListedResource[]>;
  /** Undefined if no address of this kind has this form. */
  read(uri: string, context: ToolContext): Promise<{ mimeType: string; text: string } | undefined>;
}

const addresses = [
  {
    path: 'rules',
    operationId: 'listCommunityRules',
    name: 'community-rules',
    title: 'The rules of a community',
    description: 'The first page of the rules of a community, in words. For its admins.',
  },
  {
    path: 'rules/{ruleId}',
    operationId: 'getCommunityRule',
    name: 'community-rule',
    title: 'A rule of a community',
    description: 'A rule, in words and as saved. For admins of its community.',
  },
  {
    path: 'change-sets',
    operationId: 'listChangeSets',
    name: 'change-sets',
    title: 'The role changes of a community',
    description: 'The newest change sets of a community, with those that wait for approval. For its admins.',
  },
  {
    path: 'change-sets/{changeSetId}',
    operationId: 'getChangeSet',
    name: 'change-set',
    title: 'A change set',
    description: 'Who gains and who loses which role, why, and the status of each change. For admins of its community.',
  },
];

const scheme = 'latchkey://communities/';

/** Rules and change sets as resources. Each is read by its operation, with the access of the caller. */
export function communityResources(resources: readonly Resource[]): McpResources[] {
  const operations = new Map(
    resources.flatMap((resource) => resource.operations).map((operation) => [operation.contract.id, operation]),
  );
  return addresses.flatMap(({ path, operationId, ...described }) => {
    const operation = operations.get(operationId);
    if (operation === undefined) return [];
    const uriTemplate = `${scheme}{communityId}/${path}`;
    return {
      templates: [{ uriTemplate, ...described, mimeType: 'application/json' }],
      list: async () => [],
      read: async (uri: string, { call }: ToolContext) => {
        const input = matchTemplate(uriTemplate, uri);
        return input && { mimeType: 'application/json', text: await readOperation(operation, input, call) };
      },
    };
  });
}

/** The values of a template's variables in an address; undefined if it does not fit. */
function matchTemplate(template: string, uri: string): Record<string, string> | undefined {
  const [wanted, given] = [template.split('/'), uri.split('/')];
  if (wanted.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const segment = given[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && segment !== part) return undefined;
    if (name !== undefined) values[name] = decode(segment);
  }
  return values;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new AppError('INVALID_PARAMETER_VALUE', 'The address of the resource has a malformed escape sequence.');
  }
}

async function readOperation(
  operation: Operation,
  input: Readonly<Record<string, string>>,
  call: ToolContext['call'],
): Promise<string> {
  const { status, body } = await call(operation, input);
  const text = body.toString('utf8');
  if (status < 400) return text;
  const { code, message } = JSON.parse(text).error;
  throw new AppError(code, message);
}
