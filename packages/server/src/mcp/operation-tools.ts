import { AppError, type Operation, type Resource, T, text } from '@latchkey/kernel';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { commonTag, type IndexFile } from '../docs-search/index-file.ts';
import type { OperationAnswer } from './call-operation.ts';
import { describe, inputSchemaOf, isCallable, isReading, plain, summarize } from './describe-operation.ts';
import type { SearchIndex, SearchThread } from './search-thread.ts';
import { jsonResult, type Tool, textResult, toolSchema } from './tool.ts';

/** Tools for the most common tasks, by the operation they call. */
const tasks: Readonly<Record<string, string>> = {
  check_wallet: 'checkRoles',
  list_my_communities: 'listMemberships',
  explain_my_roles: 'getMyRoles',
  list_administered_communities: 'listMyCommunities',
  explain_member_roles: 'explainMemberRoles',
  list_rules: 'listCommunityRules',
  try_rule: 'tryRuleDraft',
};

const FoundOperation = T.Object({
  id: T.String({ description: 'The id for describe_operation and call_operation.' }),
  call: T.String({ description: 'The method and path of the HTTP call.' }),
  summary: T.String(),
  changes: T.Boolean({ description: 'Whether it changes something.' }),
});

const longestText = 100_000;
const mostFound = 12;
/** The maximum input of one call. The operation then validates it against its own schema. */
const maxInputBytes = 256 * 1024;

/** Creates tools from the contracts of the operations. Without `acts`, all of them are read-only. */
export function operationTools(
  resources: readonly Resource[],
  { acts, searchThread }: { acts: boolean; searchThread: SearchThread },
): Tool[] {
  const operations = resources
    .flatMap((resource) => resource.operations)
    .filter((operation) => isCallable(operation) && (acts || isReading(operation)));
  const byId = new Map(operations.map((operation) => [operation.contract.id, operation]));
  const find = (id: unknown): Operation => {
    const operation = byId.get(String(id));
    if (operation !== undefined) return operation;
    throw new AppError(
      'ENTITY_NOT_FOUND',
      'No callable operation has this id. Use find_operations to list the ones you can call.',
    );
  };
  let opening: Promise<SearchIndex> | undefined;
  const openIndex = (): Promise<SearchIndex> => {
    opening ??= searchThread
      .open(acts ? 'all operations' : 'reading operations', JSON.stringify(indexOf(resources, byId)))
      .catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
    return opening;
  };
  const id = text('The id of the operation, such as getMyRoles.', { minLength: 1, maxLength: 100 });
  return [
    ...Object.entries(tasks).flatMap(([name, wanted]) => {
      const operation = byId.get(wanted);
      return operation === undefined ? [] : [taskTool(name, operation)];
    }),
    {
      name: 'find_operations',
      title: 'Find API operations',
      description:
        'Searches the API’s operations by keyword. Returns their ids for describe_operation and call_operation.',
      inputSchema: toolSchema({ query: text('What the operation should do.', { maxLength: 300 }) }),
      outputSchema: toolSchema({ operations: T.Array(FoundOperation) }),
      isReading: true,
      run: async ({ query }) => {
        const index = await openIndex();
        const hits = await index.search(String(query), mostFound);
        return jsonResult({ operations: hits.map(({ path }) => summarize(find(path))) });
      },
    },
    {
      name: 'describe_operation',
      title: 'Describe an API operation',
      description:
        'Returns what an operation of the API does, who may call it, and the schemas of its input and response.',
      inputSchema: toolSchema({ id }),
      isReading: true,
      run: async ({ id }) => jsonResult(describe(find(id))),
    },
    {
      name: 'call_operation',
      title: acts ? 'Call an API operation' : 'Read through an API operation',
      description: acts
        ? 'Calls an operation of the API with your credential. It can change things: read describe_operation first, and ask the person before anything that cannot be undone.'
        : 'Calls an operation of the API that changes nothing, with your credential.',
      inputSchema: toolSchema({
        id,
        input: T.Optional(
          T.Object(
            {},
            {
              description: 'Parameters by name, and the request body as body, as shown by describe_operation.',
              additionalProperties: true,
              maxProperties: 100,
              'x-maxBytes': maxInputBytes,
            },
          ),
        ),
        ...(acts && {
          idempotencyKey: T.Optional(
            text('Makes it safe to retry the same call, if the operation supports it.', {
              minLength: 1,
              maxLength: 255,
            }),
          ),
        }),
      }),
      isReading: !acts,
      run: async ({ id, input, idempotencyKey }, { call }) => {
        const operation = find(id);
        return toResult(operation, await call(operation, { ...fieldsOf(input), idempotencyKey }));
      },
    },
  ];
}

function taskTool(name: string, operation: Operation): Tool {
  const { schema } = operation.answer;
  const outputSchema = schema && plain(schema);
  return {
    name,
    title: operation.contract.summary,
    description: operation.contract.description,
    inputSchema: inputSchemaOf(operation),
    ...(outputSchema?.type === 'object' && { outputSchema }),
    isReading: isReading(operation),
    run: async (input, { call }) => toResult(operation, await call(operation, input)),
  };
}

function indexOf(resources: readonly Resource[], byId: ReadonlyMap<string, Operation>): IndexFile {
  const pages = resources.flatMap(({ name, operations }) =>
    operations
      .filter(({ contract }) => byId.has(contract.id))
      .map(({ route, contract: { id, summary, description } }) => ({
        kind: 'page' as const,
        path: id,
        title: summary,
        crumbs: [name],
        language: 'en',
        tag: commonTag,
        call: route,
        operationId: id,
        sections: [{ text: description }],
      })),
  );
  return { pages };
}

function toResult({ answer: { kind } }: Operation, { status, location, body }: OperationAnswer): CallToolResult {
  const isError = status >= 400;
  if (!isError && kind === 'png')
    return { content: [{ type: 'image', data: body.toString('base64'), mimeType: 'image/png' }] };
  if (location !== undefined) return jsonResult({ location });
  const text = body.toString('utf8');
  if (text === '') return textResult('Done.');
  if (isError) return textResult(text.slice(0, longestText), true);
  if (text.length > longestText)
    return textResult(
      `The response has ${text.length} characters, more than the ${longestText} that a tool returns. Request less, for example with limit.`,
      true,
    );
  const value: unknown = kind === 'json' ? JSON.parse(text) : undefined;
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...textResult(text), structuredContent: { ...value } }
    : textResult(text);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
