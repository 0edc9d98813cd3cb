export const maxQueryLength = 4096;
/** The longest intermediate string of a query. */
export const maxTextLength = 4096;
/** How deep expressions may be nested, and how long lists may get, as JSONata takes it. */
export const shapeLimits = { stack: 128, sequence: 10_000 };
/** How long one query may compute, and all queries of one request together. */
export const maxRunMs = 50;
export const budgetMs = 500;
