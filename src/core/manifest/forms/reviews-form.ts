import * as z from "zod";

/** `reviews:`, what `avatarops review` shows and `avatarops apply --reviewed` asks for. */
export const reviewsForm = z.strictObject({
  require_approval: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe(
      "How many people other than the author must have approved the last commit of a pull request before `apply --reviewed` applies it. Default: 0.",
    ),
  comment: z
    .enum(["always", "changes"])
    .optional()
    .describe(
      "`changes`: a pull request that changes nothing gets no comment, and one that it has says so. Default: always.",
    ),
});
