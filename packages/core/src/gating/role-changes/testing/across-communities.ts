import { parse } from 'libpg-query';

/** A node of PostgreSQL's parse tree: an object with one key, the name of its type, or the fields of such an object. */
type Tree = Record<string, unknown>;

/**
 * Returns the tables of communities that a statement reads or writes without naming their community, in parse order. `keys` has the column
 * that names the community for each such table. PostgreSQL's own parser reads the statement.
 */
export async function tablesAcrossCommunities(statement: string, keys: ReadonlyMap<string, string>): Promise<string[]> {
  const { stmts = [] } = await parse(statement);
  const found: string[] = [];
  visit(stmts, keys, new Set(), found);
  return found;
}

function visit(node: unknown, keys: ReadonlyMap<string, string>, named: ReadonlySet<string>, found: string[]): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, keys, named, found);
    return;
  }
  if (!isTree(node)) return;
  const ctes = partsOf(node.withClause, 'ctes').map((cte) =>
    stringOf(isTree(cte) ? cte.CommonTableExpr : {}, 'ctename'),
  );
  const inner = ctes.length === 0 ? named : new Set([...named, ...ctes]);
  found.push(...findInScope(node, keys, inner));
  for (const child of Object.values(node)) visit(child, keys, inner, found);
}

/** The tables that one `select`, `update`, `delete` or `insert` lists itself; what it nests has a scope of its own. */
function findInScope(node: Tree, keys: ReadonlyMap<string, string>, named: ReadonlySet<string>): string[] {
  const isInsert = 'onConflictClause' in node || ('selectStmt' in node && 'cols' in node);
  const listed = ['fromClause', 'usingClause', ...(isInsert ? [] : ['relation'])].flatMap((field) =>
    [node[field]].flat(),
  );
  if (listed.every((item) => item === undefined)) return isInsert ? conflictsAcross(node, keys) : [];
  const tables = new Map<string, string>();
  const conditions: unknown[] = [node.whereClause];
  for (const item of listed) collect(item, tables, conditions);
  const own = new Map([...tables].filter(([, table]) => keys.has(table) && !named.has(table)));
  const isKey = (column: Column): string | undefined => {
    const owners = [...own].filter(
      ([alias, table]) => keys.get(table) === column.name && (column.table === undefined || column.table === alias),
    );
    return owners.length === 1 ? owners[0]?.[0] : undefined;
  };
  const pairs = conditions.flatMap(conjuncts).flatMap(sidesOf);
  const anchored = new Set<string>();
  // A table whose community equals that of an anchored one is anchored itself.
  for (let before = -1; before < anchored.size; ) {
    before = anchored.size;
    for (const [left, right] of pairs) {
      const [one, other] = [left, right].map((column) => column && isKey(column));
      if (one !== undefined && (other === undefined || anchored.has(other))) anchored.add(one);
      if (other !== undefined && (one === undefined || anchored.has(one))) anchored.add(other);
    }
  }
  const across = [...own].filter(([alias]) => !anchored.has(alias)).map(([, table]) => table);
  return [...across, ...(isInsert ? conflictsAcross(node, keys) : [])];
}

/** An insert names the community in its row; the index that finds a conflict has to contain it too. */
function conflictsAcross(insert: Tree, keys: ReadonlyMap<string, string>): string[] {
  const table = stringOf(insert.relation, 'relname');
  const key = keys.get(table);
  const conflict = insert.onConflictClause;
  const columns = isTree(conflict) ? partsOf(conflict.infer, 'indexElems') : [];
  const names = columns.map((element) => stringOf(isTree(element) ? element.IndexElem : {}, 'name'));
  return key === undefined || names.length === 0 || names.includes(key) ? [] : [table];
}

/** Adds the tables of an item of `from` by alias, and the conditions of its joins. */
function collect(item: unknown, tables: Map<string, string>, conditions: unknown[]): void {
  if (!isTree(item)) return;
  const table = isTree(item.RangeVar) ? item.RangeVar : item;
  if (isTree(item.JoinExpr)) {
    const { larg, rarg, quals } = item.JoinExpr;
    conditions.push(quals);
    collect(larg, tables, conditions);
    collect(rarg, tables, conditions);
  } else if (typeof table.relname === 'string') {
    tables.set(stringOf(table.alias, 'aliasname') || table.relname, table.relname);
  }
}

/** Splits a condition at `and`. */
function conjuncts(condition: unknown): unknown[] {
  const bool = isTree(condition) ? condition.BoolExpr : undefined;
  if (isTree(bool) && bool.boolop === 'AND_EXPR') return [bool.args].flat().flatMap(conjuncts);
  return condition === undefined ? [] : [condition];
}

interface Column {
  table: string | undefined;
  name: string;
}

/** The columns on both sides of an equality, `in` or `= any`; undefined for any other expression. */
function sidesOf(condition: unknown): [Column | undefined, Column | undefined][] {
  if (!isTree(condition)) return [];
  const { A_Expr: comparison, SubLink: subquery } = condition;
  if (isTree(subquery)) return subquery.subLinkType === 'ANY_SUBLINK' ? [[columnIn(subquery.testexpr), undefined]] : [];
  if (!isTree(comparison)) return [];
  const isEqual = [comparison.name].flat().some((name) => isTree(name) && stringOf(name.String, 'sval') === '=');
  return isEqual ? [[columnIn(comparison.lexpr), columnIn(comparison.rexpr)]] : [];
}

function columnIn(expression: unknown): Column | undefined {
  const column = isTree(expression) ? expression.ColumnRef : undefined;
  const names = partsOf(column, 'fields').map((field) => stringOf(isTree(field) ? field.String : {}, 'sval'));
  const name = names.at(-1);
  return name === undefined ? undefined : { table: names.at(-2), name };
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function stringOf(value: unknown, field: string): string {
  const text = isTree(value) ? value[field] : undefined;
  return typeof text === 'string' ? text : '';
}

function partsOf(value: unknown, field: string): unknown[] {
  const parts = isTree(value) ? value[field] : undefined;
  return Array.isArray(parts) ? parts : [];
}
