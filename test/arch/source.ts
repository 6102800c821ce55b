import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';

/** One source file as the rules see it. Paths are relative to the repository, with forward slashes. */
export type SourceFile = {
  path: string;
  lineCount: number;
  imports: readonly Import[];
  functions: readonly SourceFunction[];
  /** Names used and declared nowhere in the file: globals. `Math.random` counts as one name. */
  globals: readonly Use[];
  hasDefaultExport: boolean;
  /** `export * from`, or a file with nothing but re-exports in it. */
  isBarrel: boolean;
};

type Import = { specifier: string; line: number };
type SourceFunction = { name: string; line: number; lineCount: number };
type Use = { name: string; line: number };
type Node = { type: string; start: number; end: number } & Record<string, unknown>;

const repository = path.join(import.meta.dirname, '..', '..');

/** Every TypeScript and script file below the folder; an absent folder has none. */
export function readSources(folder: string): SourceFile[] {
  const start = path.join(repository, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|tsx|mts|mjs)$/.test(name) && statSync(path.join(start, name)).isFile())
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
    .toSorted()
    .map((file) => parseSource(file, readFileSync(path.join(repository, file), 'utf8')));
}

/** The names of the folders or files directly in a folder; null where there is no such folder. */
export function listNames(folder: string, kind: 'folders' | 'files'): string[] | null {
  const at = path.join(repository, folder);
  if (!existsSync(at)) return null;
  const entries = readdirSync(at, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() === (kind === 'folders')).map((entry) => entry.name);
}

export function parseSource(file: string, text: string): SourceFile {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`);
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const found = new Findings(lineAt);
  const body = program.body as unknown as Node[];
  for (const statement of body) found.visit(statement, null, '');
  return {
    path: file,
    lineCount: text.trimEnd().split('\n').length,
    imports: found.imports,
    functions: found.functions,
    globals: found.used.filter((use) => !found.declared.has(use.name)),
    hasDefaultExport: found.hasDefaultExport,
    isBarrel: found.hasStarExport || (body.length > 0 && body.every(isReExport)),
  };
}

function isReExport(node: Node): boolean {
  return node.type === 'ExportNamedDeclaration' && node['source'] !== null;
}

/** Where an identifier names a member or is renamed, it uses no variable of that name. */
const NAME_ONLY: Record<string, readonly string[]> = {
  MemberExpression: ['property'],
  Property: ['key'],
  PropertyDefinition: ['key'],
  MethodDefinition: ['key'],
  TSPropertySignature: ['key'],
  TSMethodSignature: ['key'],
  TSQualifiedName: ['right'],
  ExportSpecifier: ['exported'],
  ImportSpecifier: ['imported'],
};

const DECLARING: Record<string, readonly string[]> = {
  VariableDeclarator: ['id'],
  FunctionDeclaration: ['id', 'params'],
  FunctionExpression: ['id', 'params'],
  ArrowFunctionExpression: ['params'],
  ClassDeclaration: ['id'],
  CatchClause: ['param'],
  ImportSpecifier: ['local'],
  ImportDefaultSpecifier: ['local'],
  ImportNamespaceSpecifier: ['local'],
  TSTypeAliasDeclaration: ['id'],
  TSInterfaceDeclaration: ['id'],
  TSFunctionType: ['params'],
  TSMethodSignature: ['params'],
  TSTypeParameter: ['name'],
};

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

class Findings {
  readonly imports: Import[] = [];
  readonly functions: SourceFunction[] = [];
  readonly used: Use[] = [];
  readonly declared = new Set<string>();
  hasDefaultExport = false;
  hasStarExport = false;
  readonly #lineAt: (offset: number) => number;

  constructor(lineAt: (offset: number) => number) {
    this.#lineAt = lineAt;
  }

  visit(node: Node, parent: Node | null, key: string): void {
    this.#record(node, parent, key);
    for (const [name, value] of Object.entries(node)) {
      const declares = DECLARING[node.type]?.includes(name) === true;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (!isNode(child)) continue;
        if (declares) this.#declare(child);
        this.visit(child, node, name);
      }
    }
  }

  #record(node: Node, parent: Node | null, key: string): void {
    if (node.type === 'ExportDefaultDeclaration') this.hasDefaultExport = true;
    if (node.type === 'ExportAllDeclaration') this.hasStarExport = true;
    if (/^(Import|ExportAll|ExportNamed)Declaration$|^(Import|TSImport)/.test(node.type)) this.#recordImport(node);
    if (FUNCTIONS.has(node.type)) this.#recordFunction(node, parent);
    if (node.type === 'Identifier') this.#recordUse(node, parent, key);
  }

  #recordImport(node: Node): void {
    const source = node['source'];
    if (!isNode(source) || typeof source['value'] !== 'string') return;
    this.imports.push({ specifier: source['value'], line: this.#lineAt(node.start) });
  }

  /** The callback of `describe` is a chapter of a test file, bounded by the length of the file, and no function of ours. */
  #recordFunction(node: Node, parent: Node | null): void {
    if (parent?.type === 'CallExpression' && /^describe\b/.test(calleeName(parent['callee']))) return;
    const line = this.#lineAt(node.start);
    const name = nameOf(node['id']) ?? nameOf(parent?.['id']) ?? nameOf(parent?.['key']) ?? 'a function';
    this.functions.push({ name, line, lineCount: this.#lineAt(node.end) - line + 1 });
  }

  #recordUse(node: Node, parent: Node | null, key: string): void {
    const name = nameOf(node);
    if (name === undefined) return;
    const member = parent !== null && parent['computed'] !== true && NAME_ONLY[parent.type]?.includes(key);
    if (member === true) return;
    const property = parent?.type === 'MemberExpression' ? nameOf(parent['property']) : undefined;
    const whole = name === 'Math' && property === 'random' ? 'Math.random' : name;
    this.used.push({ name: whole, line: this.#lineAt(node.start) });
  }

  #declare(pattern: Node): void {
    const name = nameOf(pattern);
    if (name !== undefined) this.declared.add(name);
    const inner = [pattern['elements'], pattern['properties'], pattern['argument'], pattern['left'], pattern['value']];
    for (const child of inner.flat()) {
      if (isNode(child) && pattern.type !== 'MemberExpression') this.#declare(child);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && typeof node['name'] === 'string' ? node['name'] : undefined;
}

function calleeName(callee: unknown): string {
  if (!isNode(callee)) return '';
  return nameOf(callee) ?? calleeName(callee['object'] ?? callee['callee'] ?? callee['tag']);
}
