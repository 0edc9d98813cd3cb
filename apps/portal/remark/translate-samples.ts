import { httpAsCurl } from '../samples/http-as-curl.ts';
import { readInfo } from '../samples/info.ts';
import { translateCurl } from '../samples/translate-curl.ts';
import { attributeOf, elementName, type Node, replaceNodes } from './tree.ts';

const tabs = [
  { value: 'curl', label: 'curl' },
  { value: 'typescript', label: 'TypeScript' },
  { value: 'python', label: 'Python' },
] as const;

/** Shows a request that guides make with curl, or write out, in TypeScript and Python too. The reader's choice holds on every page. */
export default function translateSamples() {
  return (tree: Node) => {
    replaceNodes(tree, (node, parent) => {
      if (node.type !== 'code' || isOfLanguages(parent)) return undefined;
      const curl = curlOf(node);
      const translation = translateCurl(curl?.value ?? '');
      if (curl === undefined || translation === undefined) return undefined;
      const code = {
        curl,
        typescript: codeOf('ts', translation.typescript),
        python: codeOf('py', translation.python),
      };
      const items = tabs.map(({ value, label }) => element('TabItem', { value, label }, [code[value]]));
      return [element('Tabs', { groupId: 'sample-language' }, items)];
    });
  };
}

/** A sample that runs, or the command for a request that is written out. */
function curlOf(node: Node): Node | undefined {
  if (node.lang === 'bash') return readInfo('bash', node.meta ?? '').runs ? node : undefined;
  const curl = node.lang === 'http' ? httpAsCurl(node.value ?? '') : undefined;
  return curl === undefined ? undefined : codeOf('bash', curl);
}

/** Tabs that a page makes for languages itself are left alone; other tabs hold samples as pages do. */
function isOfLanguages(parent: Node): boolean {
  return elementName(parent) === 'TabItem' && attributeOf(parent, 'label') === 'curl';
}

function codeOf(lang: string, value: string): Node {
  return { type: 'code', lang, meta: null, value };
}

function element(name: string, attributes: Record<string, string>, children: Node[]): Node {
  return {
    type: 'mdxJsxFlowElement',
    name,
    attributes: Object.entries(attributes).map(([key, value]) => ({ type: 'mdxJsxAttribute', name: key, value })),
    children,
  };
}
