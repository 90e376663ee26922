// H.264 by openh264. The only file that knows it.
#include "app/serve/codec.h"
#include "sim/api/errors.h"

#include <wels/codec_api.h>

#include <algorithm>
#include <thread>

extern "C" const char* gravlab_open_openh264();  // see third_party/late.cmake

namespace gravlab {
namespace {

class OpenH264 final : public VideoEncoder {
public:
    OpenH264(int width, int height, double fps, int bitRate) {
        if (WelsCreateSVCEncoder(&encoder_) != 0) throw Error(ExitCode::io, "openh264 makes no encoder");
        int level = WELS_LOG_QUIET;
        encoder_->SetOption(ENCODER_OPTION_TRACE_LEVEL, &level);
        SEncParamExt p{};
        encoder_->GetDefaultParams(&p);
        p.iUsageType = CAMERA_VIDEO_REAL_TIME;
        p.iPicWidth = width;
        p.iPicHeight = height;
        p.fMaxFrameRate = static_cast<float>(fps);
        p.iTargetBitrate = bitRate;
        p.iMaxBitrate = bitRate + bitRate / 2;
        p.iRCMode = RC_BITRATE_MODE;
        p.iTemporalLayerNum = 2;  // the upper one can be left out without a gap
        p.uiIntraPeriod = 0;      // key pictures on demand alone
        p.bEnableFrameSkip = false;
        p.bEnableSceneChangeDetect = false;
        p.bEnableBackgroundDetection = false;
        p.bEnableAdaptiveQuant = false;
        p.eSpsPpsIdStrategy = CONSTANT_ID;
        p.iComplexityMode = LOW_COMPLEXITY;
        p.iMinQp = 16;
        p.iMaxQp = 44;
        const unsigned threads = std::clamp(std::thread::hardware_concurrency() / 4, 1u, 4u);
        p.iMultipleThreadIdc = static_cast<unsigned short>(threads);
        SSpatialLayerConfig& layer = p.sSpatialLayers[0];
        layer.iVideoWidth = width;
        layer.iVideoHeight = height;
        layer.fFrameRate = p.fMaxFrameRate;
        layer.iSpatialBitrate = bitRate;
        layer.iMaxSpatialBitrate = p.iMaxBitrate;
        layer.sSliceArgument.uiSliceMode = threads > 1 ? SM_FIXEDSLCNUM_SLICE : SM_SINGLE_SLICE;
        layer.sSliceArgument.uiSliceNum = threads;
        // The same numbers as JPEG: full range, BT.601. So one conversion suffices.
        layer.bVideoSignalTypePresent = true;
        layer.uiVideoFormat = 5;
        layer.bFullRange = true;
        layer.bColorDescriptionPresent = true;
        layer.uiColorPrimaries = CP_BT709;
        layer.uiTransferCharacteristics = TRC_BT709;
        layer.uiColorMatrix = CM_SMPTE170M;
        if (encoder_->InitializeExt(&p) != 0) {
            WelsDestroySVCEncoder(encoder_);
            throw Error(ExitCode::io, "openh264 refuses a picture of this size");
        }
        int format = videoFormatI420;
        encoder_->SetOption(ENCODER_OPTION_DATAFORMAT, &format);
    }
    ~OpenH264() override {
        encoder_->Uninitialize();
        WelsDestroySVCEncoder(encoder_);
    }
    OpenH264(const OpenH264&) = delete;
    OpenH264& operator=(const OpenH264&) = delete;

    void encode(RawPicture& picture, bool key, PictureHead& head, std::string& to) override {
        const int width = picture.head.width, height = picture.head.height;
        SSourcePicture source{};
        source.iColorFormat = videoFormatI420;
        source.iPicWidth = width;
        source.iPicHeight = height;
        source.iStride[0] = width;
        source.iStride[1] = source.iStride[2] = width / 2;
        const std::size_t luma = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
        unsigned char* y = picture.i420.data();
        source.pData[0] = y;
        source.pData[1] = y + luma;
        source.pData[2] = y + luma + luma / 4;
        source.uiTimeStamp = static_cast<long long>(picture.head.captured / 1000);
        if (key) encoder_->ForceIntraFrame(true);
        SFrameBSInfo coded{};
        if (encoder_->EncodeFrame(&source, &coded) != 0) throw Error(ExitCode::io, "openh264 makes no picture");
        head.key = coded.eFrameType == videoFrameTypeIDR;
        for (int i = 0; i < coded.iLayerNum; ++i) {
            const SLayerBSInfo& layer = coded.sLayerInfo[i];
            std::size_t bytes = 0;
            for (int nal = 0; nal < layer.iNalCount; ++nal) bytes += static_cast<std::size_t>(layer.pNalLengthInByte[nal]);
            to.append(reinterpret_cast<const char*>(layer.pBsBuf), bytes);
            if (layer.uiLayerType == VIDEO_CODING_LAYER) head.layer = layer.uiTemporalId;
        }
    }
    void setBitRate(int bitRate) override {
        SBitrateInfo wanted{SPATIAL_LAYER_ALL, bitRate};
        encoder_->SetOption(ENCODER_OPTION_BITRATE, &wanted);
    }

private:
    ISVCEncoder* encoder_ = nullptr;
};

class OpenH264Decoder final : public VideoDecoder {
public:
    OpenH264Decoder() {
        if (gravlab_open_openh264() || WelsCreateDecoder(&decoder_) != 0)
            throw Error(ExitCode::io, "openh264 makes no decoder");
        int level = WELS_LOG_QUIET;
        decoder_->SetOption(DECODER_OPTION_TRACE_LEVEL, &level);
        SDecodingParam p{};
        p.eEcActiveIdc = ERROR_CON_DISABLE;  // what is missing is an error
        p.sVideoProperty.eVideoBsType = VIDEO_BITSTREAM_AVC;
        decoder_->Initialize(&p);
    }
    ~OpenH264Decoder() override {
        decoder_->Uninitialize();
        WelsDestroyDecoder(decoder_);
    }
    OpenH264Decoder(const OpenH264Decoder&) = delete;
    OpenH264Decoder& operator=(const OpenH264Decoder&) = delete;

    bool decode(std::string_view coded, RawPicture& to) override {
        unsigned char* planes[3] = {};
        SBufferInfo info{};
        const DECODING_STATE state = decoder_->DecodeFrameNoDelay(reinterpret_cast<const unsigned char*>(coded.data()),
                                                                  static_cast<int>(coded.size()), planes, &info);
        if (state != dsErrorFree || info.iBufferStatus != 1) return false;
        const SSysMEMBuffer& b = info.UsrData.sSystemBuffer;
        to.head.width = static_cast<std::uint16_t>(b.iWidth);
        to.head.height = static_cast<std::uint16_t>(b.iHeight);
        to.i420.clear();
        for (int plane = 0; plane < 3; ++plane) {
            const int half = plane == 0 ? 1 : 2, stride = b.iStride[plane == 0 ? 0 : 1];
            for (int row = 0; row < b.iHeight / half; ++row)
                to.i420.insert(to.i420.end(), planes[plane] + row * stride, planes[plane] + row * stride + b.iWidth / half);
        }
        return true;
    }

private:
    ISVCDecoder* decoder_ = nullptr;
};

}  // namespace

std::unique_ptr<VideoEncoder> openVideo(int width, int height, double fps, int bitRate, std::string& why) {
    if (const char* missing = gravlab_open_openh264()) {
        why = std::string("openh264 cannot be opened (") + missing + "), so browsers get JPEG; apt install libopenh264-7";
        return nullptr;
    }
    try {
        return std::make_unique<OpenH264>(width, height, fps, bitRate);
    } catch (const Error& error) {
        why = error.what();
        return nullptr;
    }
}

std::unique_ptr<VideoDecoder> openDecoder() { return std::make_unique<OpenH264Decoder>(); }

}  // namespace gravlab
