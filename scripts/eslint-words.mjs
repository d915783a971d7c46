/**
 * ESLint rules for names and words: what lint can check of "Names and words" in CONTRIBUTING.md. The rest is done by reading.
 */

/** Most words of a sentence in a comment. */
const MOST_WORDS = 30;

/** Phrases that have to be read twice, and what to write. */
const RIDDLES = [
  [/\bso many\b/i, 'say what the number is, such as "at most this many clients"'],
  [/\bso much\b/i, 'say what the number is'],
  [/\bof others\b/i, 'name the others'],
  [/\bwhat [^.]{0,60}\btells\b/i, 'name what is meant, such as "the log line"'],
  [/\bfor ever\b/i, 'say until when'],
  [/\bwhoever\b/i, 'name the person or process'],
];

/** Text of a comment without stars, tags and code. */
const textOf = (value) =>
  value
    .replace(/^\s*\*+ ?/gm, '')
    .replace(/\(https?:[^)]*\)|https?:\S+/g, 'link')
    .replace(/\{@\w+ [^}]*\}/g, 'link')
    .replace(/^\s*(?:eslint|prettier|istanbul|@ts-|c8)[^\n]*$/gm, '');

/** Sentences: they end with a full stop, before a tag, an empty line or an item of a list. */
export const sentencesIn = (value) =>
  textOf(value)
    .split(/(?<=[\w)`"'%»][.!?])\s+(?=\S)|\n\s*\n|\n(?=\s*(?:@\w|[-*|] |\d+\. ))/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter(Boolean);

/** Code counts as one word. */
const countWords = (sentence) =>
  sentence
    .replace(/`[^`]*`/g, 'code')
    .split(/\s+/)
    .filter((word) => /\w/.test(word)).length;

/** Comments of a file; line comments that follow each other are one. */
function commentsOf(source) {
  const groups = [];
  for (const comment of source.getAllComments()) {
    const last = groups.at(-1);
    const follows =
      last &&
      last.type === 'Line' &&
      comment.type === 'Line' &&
      last.end.line + 1 === comment.loc.start.line &&
      last.loc.start.column === comment.loc.start.column;
    if (follows) Object.assign(last, { text: `${last.text}\n${comment.value}`, end: comment.loc.end });
    else groups.push({ type: comment.type, text: comment.value, loc: comment.loc, end: comment.loc.end });
  }
  return groups;
}

const shortSentences = {
  meta: { type: 'suggestion', schema: [] },
  create: (context) => ({
    Program() {
      for (const { text, loc } of commentsOf(context.sourceCode))
        for (const sentence of sentencesIn(text)) {
          const words = countWords(sentence);
          if (words > MOST_WORDS)
            context.report({
              loc,
              message: `a sentence of ${words} words; write at most ${MOST_WORDS}: "${sentence.slice(0, 60)}…"`,
            });
        }
    },
  }),
};

const noRiddles = {
  meta: { type: 'suggestion', schema: [] },
  create: (context) => ({
    Program() {
      for (const { text, loc } of commentsOf(context.sourceCode))
        for (const [pattern, instead] of RIDDLES) {
          const found = pattern.exec(textOf(text).replace(/\s+/g, ' '));
          if (found) context.report({ loc, message: `"${found[0]}": ${instead}` });
        }
    },
  }),
};

/** Calls that look something up. */
const LOOK_UPS = new Set([
  'join',
  'String',
  'toString',
  'find',
  'findLast',
  'get',
  'at',
  'has',
  'includes',
  'map',
  'filter',
  'flatMap',
  'keys',
  'values',
  'entries',
]);

/** Whether an expression only looks something up. */
function isLookUp(node) {
  if (!node) return true;
  switch (node.type) {
    case 'AwaitExpression':
    case 'NewExpression':
    case 'BinaryExpression':
      return false;
    case 'CallExpression':
      return (
        node.optional ||
        LOOK_UPS.has(node.callee.name) ||
        (node.callee.type === 'MemberExpression' && LOOK_UPS.has(node.callee.property.name))
      );
    case 'ConditionalExpression':
      return isLookUp(node.consequent) && isLookUp(node.alternate);
    case 'LogicalExpression':
      return isLookUp(node.left) && isLookUp(node.right);
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'ChainExpression':
      return isLookUp(node.expression);
    default:
      return true;
  }
}

function bodyIsLookUp({ body, async: isAsync }) {
  if (isAsync) return false;
  if (body.type !== 'BlockStatement') return isLookUp(body);
  return body.body.every(isReturnOfLookUp);
}

/** `return …;`, also behind an `if`. */
const isReturnOfLookUp = (statement) =>
  (statement.type === 'ReturnStatement' && isLookUp(statement.argument)) ||
  (statement.type === 'IfStatement' && !statement.alternate && isReturnOfLookUp(statement.consequent));

const ofIsALookUp = {
  meta: { type: 'suggestion', schema: [] },
  create: (context) => {
    const check = (id, fn) => {
      if (/[a-z0-9]Of$/.test(id?.name ?? '') && !bodyIsLookUp(fn))
        context.report({
          node: id,
          message: `${id.name} does more than look something up; begin its name with a verb`,
        });
    };
    return {
      FunctionDeclaration: (node) => node.body && check(node.id, node),
      VariableDeclarator: ({ id, init }) =>
        (init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression') && check(id, init),
      MethodDefinition: ({ key, value }) => value.body && check(key, value),
    };
  },
};

export const words = {
  rules: { 'short-sentences': shortSentences, 'no-riddles': noRiddles, 'of-is-a-look-up': ofIsALookUp },
};
