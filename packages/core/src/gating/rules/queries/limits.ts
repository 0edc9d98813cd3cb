export const maxQueryLength = 4096;
/** The longest intermediate string of a query. */
export const maxTextLength = 4096;
/** Limits on nesting depth and list length, in the form that JSONata expects. */
export const shapeLimits = { stack: 128, sequence: 10_000 };
/** How long one query may compute, and how long all queries of one request may in total. */
export const maxRunMs = 50;
export const budgetMs = 500;
