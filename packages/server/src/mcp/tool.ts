import { T, type TSchema } from '@latchkey/kernel';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { OperationCaller } from './call-operation.ts';

/** What one MCP request may use: the operations, with its sender's access. */
export interface ToolContext {
  call: OperationCaller;
  /** Aborts when the client cancels the request. */
  signal: AbortSignal;
  /** Logs an unexpected error. */
  noteFailure(error: unknown): void;
}

/** An object that allows only the fields it names. */
export type ToolSchema = TSchema & { type: 'object'; properties: Record<string, TSchema>; additionalProperties: false };

export function toolSchema(fields: Record<string, TSchema>): ToolSchema {
  return T.Object(fields, { additionalProperties: false }) as unknown as ToolSchema;
}

/** One tool that agents can call. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  /** The schema that the tool publishes and validates its input against. */
  inputSchema: ToolSchema;
  /** The schema of the structured content of a result that is no error. */
  outputSchema?: object;
  /** Whether it is read-only. */
  isReading: boolean;
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<CallToolResult>;
}

export function textResult(text: string, isError = false): CallToolResult {
  return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}

/** A result as text for models, and as structured content for programs, which the protocol allows for objects only. */
export function jsonResult(value: object): CallToolResult {
  const result = textResult(JSON.stringify(value, undefined, 2));
  return Array.isArray(value) ? result : { ...result, structuredContent: { ...value } };
}
