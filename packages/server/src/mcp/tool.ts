import type { CallToolResult, JSONObject } from '@modelcontextprotocol/server';
import type { OperationCaller } from './call-operation.ts';

/** What one MCP request may use: the operations, as whoever sent it. */
export interface ToolContext {
  call: OperationCaller;
  /** Puts down what nobody expected. */
  noteFailure(error: unknown): void;
}

/** One tool that agents can call. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; properties: Record<string, JSONObject>; required: string[] };
  /** Whether it leaves everything as it is. */
  isReading: boolean;
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<CallToolResult>;
}

export function textResult(text: string, isError = false): CallToolResult {
  return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}

export function jsonResult(value: unknown): CallToolResult {
  return textResult(JSON.stringify(value, undefined, 2));
}
