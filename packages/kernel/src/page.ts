import { type Schema, T } from './schema.ts';

/** One page of a list. Without a paginationToken it is the last page. */
export interface Page<Item> {
  items: Item[];
  paginationToken?: string;
}

export const defaultPageSize = 20;
export const maxPageSize = 100;

/** The two parameters of every paginated list. */
export const pageParams = {
  limit: T.Optional(
    T.Number({
      description: `How many items to return. Defaults to ${defaultPageSize}.`,
      minimum: 1,
      maximum: maxPageSize,
      multipleOf: 1,
    }),
  ),
  paginationToken: T.Optional(
    T.String({
      description: 'The paginationToken from the previous page; omit it for the first page.',
      minLength: 1,
      maxLength: 1024,
    }),
  ),
};

/** The same for lists that were published without them: clients without pagination get as much as a page can have. */
export const wholePageParams = {
  limit: T.Optional(
    T.Number({
      description: `How many items to return. Defaults to ${maxPageSize}.`,
      minimum: 1,
      maximum: maxPageSize,
      multipleOf: 1,
    }),
  ),
  paginationToken: pageParams.paginationToken,
};

export function pageOf<Item>(item: Schema<Item>, name: string): Schema<Page<Item>> {
  return T.Unsafe<Page<Item>>(
    T.Object(
      {
        items: T.Array(item, { description: 'The items of this page.', maxItems: maxPageSize }),
        paginationToken: T.Optional(
          T.String({ description: 'Send this to get the next page; absent on the last one.', maxLength: 1024 }),
        ),
      },
      { 'x-name': name, description: 'One page of a list.' },
    ),
  );
}
