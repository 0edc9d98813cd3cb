/** A finding of Schemathesis that is intended. */
export interface Exception {
  /** The name of the failure. */
  type: string;
  /** The operations; all if absent. */
  operations?: readonly string[];
  /** A pattern of the message; any if absent. */
  message?: RegExp;
  reason: string;
}

export const exceptions: readonly Exception[] = [
  {
    type: 'AcceptedNegativeData',
    message: /in query - violates `additionalProperties`$/,
    reason: 'The published API ignores unknown query parameters, and clients send some.',
  },
];
