// SPDX-License-Identifier: MIT
#include "swimmer.h"

#include <cmath>
#include <numbers>

namespace anmf::cli {
namespace {

// In pixels, measured from the centre of the image; y points down.
constexpr double kTorsoHalfWidth = 3;
constexpr double kTorsoHalfHeight = 7;
// The joints lie a little inside the corners of the torso, so that limbs and torso touch.
constexpr double kJointX = 2.5;
constexpr double kJointY = 5.5;
constexpr double kLimbLength = 10;
constexpr double kLimbHalfWidth = 1.5;

// Degrees above the outward horizontal for the arms, below it for the legs. Narrow enough that the lowest
// arm and the highest leg of one side stay apart, wide enough that neighbours do at their tips.
constexpr double kFirstAngle = -15;
constexpr double kAngleStep = 35;

struct Point {
  double x;
  double y;
};

bool in_torso(Point p) { return std::abs(p.x) < kTorsoHalfWidth && std::abs(p.y) < kTorsoHalfHeight; }

/// A stroke from the torso's corner. Where the strokes of the four positions would run into each other near
/// the corner, each keeps to its own sector, so that they share no pixel.
bool in_limb(Index limb, Index position, Point p) {
  const double side = limb % 2 == 0 ? -1 : 1;  // left, right
  const double end = limb / 2 == 0 ? -1 : 1;   // arm, leg
  const double angle = (kFirstAngle + kAngleStep * static_cast<double>(position)) * std::numbers::pi / 180;
  const double half_sector = kAngleStep / 2 * std::numbers::pi / 180;
  // Coordinates in which every limb is the upper right one with its joint at the origin.
  const Point q = {side * p.x - kJointX, end * p.y - kJointY};
  const double along = q.x * std::cos(angle) + q.y * std::sin(angle);
  const double across = std::abs(q.y * std::cos(angle) - q.x * std::sin(angle));
  return along > 0 && along < kLimbLength && across < kLimbHalfWidth &&
         across < along * std::tan(half_sector) && !in_torso(p);
}

/// The image of all pixels whose centre satisfies `inside`.
template <class Predicate>
Matrix<double> draw(Predicate inside) {
  Matrix<double> image(kSwimmerSide, kSwimmerSide);
  for (Index y = 0; y < kSwimmerSide; ++y) {
    for (Index x = 0; x < kSwimmerSide; ++x) {
      constexpr double kCentre = static_cast<double>(kSwimmerSide) / 2;
      const Point p = {static_cast<double>(x) + 0.5 - kCentre, static_cast<double>(y) + 0.5 - kCentre};
      if (inside(p)) image(y, x) = 1;
    }
  }
  return image;
}

void add_to_column(Matrix<double>& M, Index column, const Matrix<double>& part) {
  for (Index pixel = 0; pixel < part.size(); ++pixel) M(pixel, column) += part.data()[pixel];
}

}  // namespace

std::vector<Matrix<double>> swimmer_parts() {
  std::vector<Matrix<double>> parts = {draw(in_torso)};
  for (Index limb = 0; limb < kSwimmerLimbs; ++limb) {
    for (Index position = 0; position < kSwimmerPositions; ++position) {
      parts.push_back(draw([=](Point p) { return in_limb(limb, position, p); }));
    }
  }
  return parts;
}

Matrix<double> swimmer_matrix() {
  const std::vector<Matrix<double>> parts = swimmer_parts();
  Matrix<double> M(kSwimmerSide * kSwimmerSide, kSwimmerImages);
  for (Index image = 0; image < kSwimmerImages; ++image) {
    add_to_column(M, image, parts[0]);
    Index digits = image;
    for (Index limb = 0; limb < kSwimmerLimbs; ++limb) {
      const Index part = 1 + limb * kSwimmerPositions + digits % kSwimmerPositions;
      add_to_column(M, image, parts[static_cast<std::size_t>(part)]);
      digits /= kSwimmerPositions;
    }
  }
  return M;
}

}  // namespace anmf::cli
