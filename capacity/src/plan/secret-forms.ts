/** Addresses that need no login: who knows one can post. The host says whose it is. */
const ADDRESSES = [
  String.raw`hooks\.slack(?:-gov)?\.com`,
  String.raw`(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks`,
  String.raw`[\w.-]+\.webhook\.office\.com`,
  String.raw`outlook\.office(?:365)?\.com/webhook`,
  String.raw`[\w.-]+\.logic\.azure\.com(?::443)?`,
  String.raw`[\w.-]+\.powerplatform\.com`,
  String.raw`chat\.googleapis\.com/v1/spaces`,
  String.raw`hooks\.zapier\.com`,
  String.raw`hook\.(?:\w+\.)?make\.com`,
  String.raw`maker\.ifttt\.com/trigger`,
  String.raw`webhook\.site`,
  String.raw`api\.telegram\.org/(?:file/)?bot`,
];

/**
 * Secrets that their form gives away, whatever their name is. What the first group matches is kept: it says what is hidden. Text of
 * any length comes here, so no form may look at the same part of it from many places.
 */
const FORMS: RegExp[] = [
  // PEM, whole or cut, with line breaks or with \n in their place
  /(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----)[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
  // A host alone is no address.
  new RegExp(String.raw`((?<![\w.-])(?:${ADDRESSES.join('|')}))(?:(?<=/\w{1,8})|(?=[/:?#]))[^\s"'<>)\]]+`, 'gi'),
  // JSON Web Tokens, which n8n's API keys are, and their older form
  /()(?:(?<![\w-])eyJ[\w-]{8,}|\beyJ[\w-]{8,2000})\.[\w-]{8,}(?:\.[\w-]*)?/g,
  /\b(n8n_api_)[0-9a-f]{16,}/g,
  // Prefixes that providers give their keys
  /\b(AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\b(AIza)[\w-]{35}/g,
  /\b(gh[pousr]_|github_pat_|gl(?:pat|rt)-|npm_|pypi-|hf_|dop_v1_|shp(?:at|ss)_|hv[bs]\.|dckr_pat_|GOCSPX-|xai-|gsk_)[\w-]{16,}/g,
  /\b(xox[a-z]-|xapp-)[\w-]{10,}/g,
  /\b(sk-(?:ant-|proj-)?|[sr]k_(?:live|test)_|whsec_)[\w-]{16,}/g,
  /\b(SG\.)[\w-]{16,}\.[\w-]{16,}/g,
  /()\b\d{8,10}:[\w-]{35}\b/g,
  /\b(Authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:Bearer|Basic|Token) )[^\s"',]+/gi,
  /\b((?:Bearer|Basic) )(?=[A-Za-z+/._~-]*[\d=])[\w+/=.~-]{8,}/gi,
  /(\bAccountKey=|\bSharedAccessKey=)[^;\s"']+/gi,
];

/** n8n's paths of production, test, waiting and form webhooks. */
const WEBHOOK_PATH = /\/(?:webhook|form|mcp)(?:-test|-waiting)?\/[^\s"'?#<>]+/g;

/** A UUID, of which n8n makes a path, or other characters that were drawn at random: letters and digits mixed. */
const RANDOM =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![A-Za-z0-9])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}(?![A-Za-z0-9])/gi;

/** Characters of a random part that are kept, so that two webhooks can be told apart. */
const KEPT = 8;

/**
 * Replaces the parts of a text that have the form of a secret: webhooks of chat services, private keys and tokens. Random parts
 * of n8n's own webhook paths are replaced, too: anybody with such a path can start the workflow.
 * @param instead in their place
 */
export function withoutSecretForms(text: string, instead: string): string {
  const masked = text.replace(WEBHOOK_PATH, (path) =>
    path.replace(RANDOM, (random) => `${random.slice(0, KEPT)}${instead}`),
  );
  const isHidden = (secret: string) => secret.startsWith(instead) || (secret !== '' && instead.startsWith(secret));
  return FORMS.reduce(
    (rest, form) =>
      rest.replace(form, (whole: string, kept: string) =>
        isHidden(whole.slice(kept.length)) ? whole : `${kept}${instead}`,
      ),
    masked,
  );
}
