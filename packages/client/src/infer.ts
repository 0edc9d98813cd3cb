import type { Feed, KeptFeed, Operation, Params, ParamValues } from '@latchkey/kernel';

/** The server's resources, as the type of their list: `typeof resources`. */
type Resources = readonly { operations: readonly unknown[] }[];

type OperationOf<List extends Resources> = List[number]['operations'][number];

/** The operations by their route, for example `GET /client-apps/{id}`. Streams of events are left to `fetch`. */
export type OperationsOf<List extends Resources> = {
  [Item in OperationOf<List> as RouteOf<Item>]: { input: InputOf<Item>; result: ResultOf<Item> };
};

type RouteOf<Item> = Item extends { route: infer Route extends string }
  ? ResultOf<Item> extends Feed<infer _Event> | KeptFeed<infer _Kept>
    ? never
    : Route
  : never;

type HeaderNames<P> = { [Name in keyof P]: P[Name] extends { 'x-in': 'header' } ? Name : never }[keyof P];
type HeaderInput<P extends Params> = [HeaderNames<P>] extends [never]
  ? unknown
  : { headers: ParamValues<Pick<P, HeaderNames<P> & string>> };
type BodyInput<B> = [B] extends [undefined] ? unknown : undefined extends B ? { body?: B } : { body: B };

type InputOf<Item> =
  Item extends Operation<infer _Route, infer P, infer B, infer _Answer, infer _Ctx>
    ? Flat<ParamValues<Omit<P, HeaderNames<P>>> & HeaderInput<P> & BodyInput<B>>
    : never;

type ResultOf<Item> =
  Item extends Operation<infer _Route, infer _P, infer _B, infer Answer, infer _Ctx> ? Answer : never;

type Flat<Type> = { [Key in keyof Type]: Type[Key] };
