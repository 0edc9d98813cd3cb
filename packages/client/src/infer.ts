import type { Operation, Params, ParamValues } from '@latchkey/kernel';

/** The server's resources, as the type of their list: `typeof resources`. */
export type Routes = readonly { operations: readonly unknown[] }[];

type OperationOf<Resources extends Routes> = Resources[number]['operations'][number];

/** Operations by their route, for example `GET /client-apps/{id}`. */
export type ApiIndex<Resources extends Routes> = {
  [Item in OperationOf<Resources> as Item extends { route: infer Route extends string } ? Route : never]: Item;
};

type HeaderNames<P> = { [Name in keyof P]: P[Name] extends { 'x-in': 'header' } ? Name : never }[keyof P];
type HeaderInput<P extends Params> = [HeaderNames<P>] extends [never]
  ? unknown
  : { headers: ParamValues<Pick<P, HeaderNames<P> & string>> };
type BodyInput<B> = [B] extends [undefined] ? unknown : undefined extends B ? { body?: B } : { body: B };

/** What a call takes: path and query parameters by name, header parameters under `headers`, and the body. */
export type CallInput<Item> =
  Item extends Operation<infer _Route, infer P, infer B, infer _Answer, infer _Ctx>
    ? Flat<ParamValues<Omit<P, HeaderNames<P>>> & HeaderInput<P> & BodyInput<B>>
    : never;

/** What a call answers with. */
export type CallResult<Item> =
  Item extends Operation<infer _Route, infer _P, infer _B, infer Answer, infer _Ctx> ? Answer : never;

type Flat<Type> = { [Key in keyof Type]: Type[Key] };
