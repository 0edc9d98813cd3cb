import { readInfo } from '../samples/info.ts';
import { translateCurl } from '../samples/translate-curl.ts';
import { attributeOf, elementName, type Node, replaceNodes } from './tree.ts';

const tabs = [
  { value: 'curl', label: 'curl' },
  { value: 'typescript', label: 'TypeScript' },
  { value: 'python', label: 'Python' },
] as const;

/** Shows a request that guides make with curl in TypeScript and Python too. The reader's choice holds on every page. */
export default function translateSamples() {
  return (tree: Node) => {
    replaceNodes(tree, (node, parent) => {
      if (node.type !== 'code' || node.lang !== 'bash' || isOfLanguages(parent)) return undefined;
      if (!readInfo('bash', node.meta ?? '').runs) return undefined;
      const translation = translateCurl(node.value ?? '');
      if (translation === undefined) return undefined;
      const code = {
        curl: node,
        typescript: codeOf('ts', translation.typescript),
        python: codeOf('py', translation.python),
      };
      const items = tabs.map(({ value, label }) => element('TabItem', { value, label }, [code[value]]));
      return [element('Tabs', { groupId: 'sample-language' }, items)];
    });
  };
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
