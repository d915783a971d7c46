import { z } from 'zod';

/** What an attacker needs. */
const NEEDS = ['none', 'link', 'login', 'editor', 'admin'] as const;
/** How a public record rates it, the worst first; `unrated`: no rating was read. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'unrated'] as const;

/** The first version that is affected, and the one that fixes it. */
const range = z.tuple([z.string(), z.string()]);

export const advisorySchema = z.strictObject({
  /** `CVE-…`, or `GHSA-…` where there is no CVE. */
  id: z.string(),
  ghsa: z.string().optional(),
  /** One sentence without a full stop. */
  title: z.string(),
  severity: z.enum(SEVERITIES),
  /** Base score, 0 to 10. */
  cvss: z.number().min(0).max(10).optional(),
  needs: z.enum(NEEDS),
  /** It applies only where this is so; a clause. */
  where: z.string().optional(),
  affected: z.array(range).min(1),
  /** The public record names more versions than `affected`. */
  partial: z.literal(true).optional(),
  /** What helps until n8n is upgraded; a clause. */
  do: z.string().optional(),
  /** Day on which the fix was published. */
  date: z.iso.date(),
  /** Where the row was read. */
  source: z.string(),
});
/** A public vulnerability of n8n (charts/n8n-tuned/files/advisories.yaml). */
export type Advisory = z.infer<typeof advisorySchema>;

export const advisoryListSchema = z.strictObject({
  /** Day of the list. */
  date: z.iso.date(),
  /** The newest n8n of each major version that a public record named on that day. */
  newest: z.array(z.string()),
  /** Public records without a row, because their affected versions could not be read. */
  unread: z.array(z.string()),
  advisories: z.array(advisorySchema),
});
export type AdvisoryList = z.infer<typeof advisoryListSchema>;

/** A vulnerability of one version. */
export interface KnownAdvisory extends Advisory {
  /** The first version that fixes it. */
  fixedIn: string;
}

/** What a list says of a version of n8n. */
export interface Exposure {
  version: string;
  /** Day of the list. */
  date: string;
  /** The version is newer than any that the list knows of. */
  isNewer: boolean;
  /** The worst first: those that take an attacker the least effort, then by severity. */
  known: KnownAdvisory[];
  /** How many of them need no login. */
  withoutLogin: number;
}

/** What an upgrade of n8n changes. */
export interface ExposureChange {
  /** Day of the list. */
  date: string;
  /** The new version is newer than any that the list knows of. */
  isNewer: boolean;
  /** Vulnerabilities of the old version that the new one does not have. */
  closes: KnownAdvisory[];
  /** How many of those need no login. */
  closesWithoutLogin: number;
  /** Vulnerabilities of the new version that the old one does not have. */
  opens: KnownAdvisory[];
  /** Those that both have. */
  stays: KnownAdvisory[];
}
