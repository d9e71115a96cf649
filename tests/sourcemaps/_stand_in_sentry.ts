/**
 * A stand-in for the part of Sentry that receives source maps: a server on a free loopback port that
 * answers as `sentry-cli` expects.
 *
 * ```
 * GET  /api/0/organizations/ORG/chunk-upload/            options
 * POST /api/0/organizations/ORG/artifactbundle/assemble/ checksums → missing chunks
 * POST /api/0/organizations/ORG/chunk-upload/            chunks, each named by its SHA-1
 * POST …/artifactbundle/assemble/                        again → assembled
 * ```
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";

/** An assembled bundle. */
interface AssembledBundle {
  readonly organization: string;
  readonly projects: readonly string[];
  /** The release. */
  readonly version: string | undefined;
  readonly bytes: Uint8Array;
}

/** Smaller than the bundle of a test, so that it is sent in several chunks. */
const CHUNK_BYTES = 256 * 1024;

/** Starts a stand-in that accepts everything, or answers everything with `refuse`. */
export function startStandInSentry(options: { refuse?: (request: Request) => Response } = {}) {
  const bundles: AssembledBundle[] = [];
  const authorizations: (string | null)[] = [];
  const chunks = new Map<string, File>();

  async function takeChunks(request: Request): Promise<Response> {
    for (const [, part] of await request.formData()) {
      if (typeof part === "string") return new Response("no file", { status: 400 });
      chunks.set(part.name, part);
    }
    return new Response();
  }

  async function assemble(request: Request, organization: string): Promise<Response> {
    const asked: { checksum: string; chunks: string[]; projects: string[]; version?: string } =
      await request.json();
    const missingChunks = asked.chunks.filter((hash) => !chunks.has(hash));
    if (missingChunks.length > 0) return Response.json({ state: "not_found", missingChunks });
    const bytes = await new Blob(asked.chunks.map((hash) => chunks.get(hash)!)).bytes();
    const sha1 = createHash("sha1").update(bytes).digest("hex");
    assert.equal(sha1, asked.checksum);
    const { projects, version } = asked;
    bundles.push({ organization, projects, version, bytes });
    return Response.json({ state: "ok", missingChunks });
  }

  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      authorizations.push(request.headers.get("Authorization"));
      if (options.refuse) return options.refuse(request);
      const { pathname } = new URL(request.url);
      const [, organization = "", what] =
        /^\/api\/0\/organizations\/([^/]+)\/(chunk-upload|artifactbundle\/assemble)\/$/
          .exec(pathname) ?? [];
      if (what === "chunk-upload") {
        return request.method === "GET"
          ? Response.json(uploadOptions(request.url))
          : await takeChunks(request);
      }
      if (what === "artifactbundle/assemble") return await assemble(request, organization);
      return Response.json({ detail: `no such address: ${pathname}` }, { status: 404 });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    bundles,
    /** The `Authorization` header of each request, oldest first. */
    authorizations,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function uploadOptions(url: string) {
  return {
    url,
    chunkSize: CHUNK_BYTES,
    chunksPerRequest: 4,
    maxFileSize: 2 ** 31,
    maxRequestSize: 2 ** 25,
    concurrency: 2,
    hashAlgorithm: "sha1",
    compression: [],
    accept: ["debug_files", "release_files", "sources", "artifact_bundles", "artifact_bundles_v2"],
  };
}
